import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { testFailures, stopTurns } from '../../../../test/support/driver-ends.ts';
import { openWith } from '../../../../test/support/driver-fixture.ts';
import { makeFolders } from '../../../../test/support/tool-fixture.ts';
import type { FormEnd, Verdict } from '../driver.ts';
import { openCodex } from './codex-driver.ts';

const open = openWith(openCodex, 'codex-stand-in.mjs');
const no = async (): Promise<Verdict> => ({ allow: false, reason: 'not on a Friday' });
const denied = (n: number, text: string) => ({ type: 'action-end', n, status: 'denied', text });

it('gives text, thoughts, the plan, actions with their ends, its tries, and the tokens of its context', async () => {
  const { root, turn, asked } = await open();
  const steps = [
    'THINK hm',
    'PLAN test it',
    'SAY hello',
    'RUN echo one',
    'CHILD echo two',
    'GARBAGE',
    'RETRY',
  ];
  const { events, end } = await turn(...steps);
  expect(await end).toEqual({ stopReason: 'end_turn', tokens: 1_234 });
  expect(events).toEqual([
    { type: 'thought', text: 'hm' },
    { type: 'plan', items: [{ text: 'test it', status: 'pending' }] },
    { type: 'text', text: 'hello' },
    { type: 'action', n: 1, kind: 'execute', title: 'echo one' },
    { type: 'action-end', n: 1, status: 'completed', text: 'one\n' },
    { type: 'action', n: 2, kind: 'execute', title: 'echo two' },
    { type: 'action-end', n: 2, status: 'completed', text: 'two\n' },
    { type: 'notice', text: 'Its model failed, and it tries again' },
  ]);
  expect(asked).toEqual([
    { kind: 'command', command: 'echo one', cwd: root },
    { kind: 'command', command: 'echo two', cwd: root },
  ]);
});

it('RT-07 a change is asked about with its content, and its patch where it is in several places', async () => {
  const { root, turn, asked } = await open();
  writeFileSync(join(root, 'a.txt'), 'one\ntwo\none\n');
  const { end } = await turn('PATCH a.txt one three', 'ADD b.txt new');
  await end;
  expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('three\ntwo\nthree\n');
  const patch = '@@ -1 +1 @@\n-one\n+three\n@@ -3 +3 @@\n-one\n+three\n';
  expect(asked).toEqual([
    {
      kind: 'edit',
      edits: [{ path: join(root, 'a.txt'), before: 'one\none\n', after: 'three\nthree\n', patch }],
    },
    { kind: 'edit', edits: [{ path: join(root, 'b.txt'), before: null, after: 'new' }] },
  ]);
});

it('RT-03 what was denied is not done, and neither is what no question can show', async () => {
  const { root, turn, asked } = await open({ verdict: no });
  writeFileSync(join(root, 'a.txt'), 'a\n');
  const { events, end } = await turn(
    ...[
      'RUN touch no.txt',
      'DELETE a.txt',
      'MOVE a.txt',
      'KIND writeStdin',
      'KIND humanCommand',
      'CLAIM touch no.txt',
      'TTY touch t.txt',
    ],
  );
  expect(await end).toMatchObject({ stopReason: 'end_turn' });
  expect(asked).toHaveLength(1);
  const refused = 'There is no question that could show what it would do';
  expect(events.filter(({ type }) => type !== 'action')).toEqual([
    denied(1, 'not on a Friday'),
    ...[2, 3, 4, 5, 6].map((n) => denied(n, refused)),
    { type: 'text', text: 'stdin is closed' },
  ]);
  expect(existsSync(join(root, 'a.txt'))).toBe(true);
  for (const name of ['no.txt', 'kind.txt', 't.txt']) expect(existsSync(join(root, name))).toBe(false);
});

it('RT-03 it reads the reason of a denial during its turn', async () => {
  const { turn } = await open({ verdict: no });
  const { events, end } = await turn('RUN touch no.txt', 'CHILD touch no.txt', 'QUOTE');
  await end;
  expect(events.at(-1)).toEqual({ type: 'text', text: 'About "touch no.txt": not on a Friday' });
});

it.each([
  ['SWAP echo harm', 'did something else than it asked about'],
  ['UNASKED echo harm', 'did something else than it asked about'],
  ['LATE echo harm', 'did something else than it asked about'],
])('RT-05 one that acts in another way than it asked is stopped: %s', async (step, error) => {
  const { turn } = await open();
  const { end } = await turn(step, 'WAIT');
  await expect(end).rejects.toThrow(error);
});

it.each(['--never', '--writes'])(
  'RT-04 one that starts in a mode that asks less is not used: %s',
  async (flag) => {
    await expect(open({ flags: [flag] })).rejects.toThrow('no mode in which it asks');
  },
);

it('28 one without a login says so before it has a task', async () => {
  await expect(open({ flags: ['--signed-out'] })).rejects.toMatchObject({ code: 'RUNTIME_SIGN_IN' });
});

it.each(['POLICY never', 'REVIEW'])('RT-04 one that leaves its mode is stopped: %s', async (step) => {
  const { turn } = await open();
  const { end } = await turn('POLICY untrusted', step, 'WAIT');
  await expect(end).rejects.toThrow('left the mode in which it asks');
});

it('RT-16 settings of the folder start nothing; its instructions are given, and continue its thread', async () => {
  const { root } = makeFolders();
  mkdirSync(join(root, '.codex'));
  writeFileSync(join(root, '.codex/hook'), 'touch hook.txt');
  const { turn } = await open({ root, resume: 't1' });
  const { events, end } = await turn('GUIDE');
  await end;
  expect(existsSync(join(root, 'hook.txt'))).toBe(false);
  expect(events).toEqual([{ type: 'text', text: expect.stringContaining('\n\nof AGENTS.md') }]);
});

const pictures = [{ name: 'a.png', mediaType: 'image/png' as const, data: 'iVBORw0KGgo=' }];

it('gives pictures with the task', async () => {
  const { turn } = await open({ pictures });
  const { events, end } = await turn('INPUT');
  await end;
  const block = [{ type: 'image', url: 'data:image/png;base64,iVBORw0KGgo=' }];
  expect(events).toEqual([{ type: 'text', text: JSON.stringify(block) }]);
});

testFailures(open);

it('RT-06 cancels a turn, also while it retries or asks, and kills one that goes on for a second', () =>
  stopTurns(open));

it('RT-18 a question that it withdraws ends at once; one whose question it withdrew may not act', async () => {
  const { root } = makeFolders();
  const verdict = async (_one: unknown, withdrawal: AbortSignal) => {
    writeFileSync(join(root, 'shown'), '');
    await once(withdrawal, 'abort');
    return { withdrawn: true as const };
  };
  const { turn } = await open({ root, verdict });
  const { events, end } = await turn('BACK touch a.txt', 'SAY on');
  await end;
  expect(events).toEqual([
    { type: 'action', n: 1, kind: 'execute', title: 'touch a.txt' },
    denied(1, 'The coding agent withdrew its question'),
    { type: 'text', text: 'on' },
  ]);
  const acting = await turn('BACK touch a.txt!', 'WAIT');
  await expect(acting.end).rejects.toMatchObject({ code: 'RUNTIME_MISMATCH' });
});

const chosen = (at: number[], text = ''): FormEnd => ({ answers: [{ id: 'q1', chosen: at, text }] });

it('19 RT-18 asks its person by a form, and reads the answers under its own names', async () => {
  const { turn, asked, forms } = await open({ form: async () => chosen([1], 'a dark one') });
  const { events, end } = await turn('CHOICE Which?|red|blue', 'CHOICE Why?');
  expect(await end).toMatchObject({ stopReason: 'end_turn' });
  const options = ['red: red it is', 'blue: blue it is'];
  expect(forms).toEqual([
    { message: '', questions: [{ id: 'q1', question: 'Which?', type: 'single', options }] },
    { message: '', questions: [{ id: 'q1', question: 'Why?', type: 'text' }] },
  ]);
  expect(events.slice(0, 3)).toEqual([
    { type: 'action', n: 1, kind: 'form', title: 'Question' },
    { type: 'action-end', n: 1, status: 'completed', text: 'The person has answered' },
    { type: 'text', text: '{"way":{"answers":["blue","a dark one"]}}' },
  ]);
  expect(asked).toEqual([]);
});

it.each([
  ['CHOICE Which?|red|blue', 'The person did not answer', 1],
  ['CHOICE SECRET Which key?', 'Secrets are not asked for here', 0],
])('19 RT-18 a form without an answer is declined, and it reads why: %s', async (step, why, shown) => {
  const { turn, forms } = await open({ form: async () => ({ declined: 'The person did not answer' }) });
  const { events, end } = await turn(step, 'RUN true', 'QUOTE');
  await end;
  expect(forms).toHaveLength(shown);
  expect(events.slice(1, 3)).toEqual([denied(1, why), { type: 'text', text: '{}' }]);
  expect(events.at(-1)).toEqual({ type: 'text', text: `About your question: ${why}` });
});

it('19 RT-06 it ends a cancelled turn while its form is open', async () => {
  const answer = Promise.withResolvers<FormEnd>();
  const { turn, stop } = await open({ form: () => answer.promise });
  const { end, said, events } = await turn('CHOICE Which?|red|blue', 'WAIT');
  await said;
  stop();
  answer.resolve({ withdrawn: true });
  expect(await end).toMatchObject({ stopReason: 'cancelled' });
  expect(events).toContainEqual(denied(1, 'The turn was stopped'));
});
