import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { stopTurns } from '../../../../test/support/driver-ends.ts';
import { openWith } from '../../../../test/support/driver-fixture.ts';
import { makeFolders } from '../../../../test/support/tool-fixture.ts';
import type { FormEnd, Verdict } from '../driver.ts';
import { openClaude } from './claude-driver.ts';

const open = openWith(openClaude, 'claude-stand-in.mjs');
const no = async (): Promise<Verdict> => ({ allow: false, reason: 'not on a Friday' });

it('gives text, thoughts, actions with their ends, its tries, and the tokens of its context', async () => {
  const { turn, asked } = await open();
  const { events, end } = await turn('THINK hm', 'SAY hello', 'RUN echo one', 'GARBAGE', 'RETRY');
  expect(await end).toEqual({ stopReason: 'end_turn', tokens: 1_234 });
  expect(events).toEqual([
    { type: 'thought', text: 'hm' },
    { type: 'text', text: 'hello' },
    { type: 'action', n: 1, kind: 'execute', title: 'echo one' },
    { type: 'action-end', n: 1, status: 'completed', text: 'one' },
    { type: 'notice', text: 'Its model failed; next try in 4 s' },
  ]);
  expect(asked).toEqual([{ kind: 'command', command: 'echo one' }]);
});

it('gives pictures with the task', async () => {
  const pictures = [{ name: 'a.png', mediaType: 'image/png' as const, data: 'iVBORw0KGgo=' }];
  const { turn } = await open({ pictures });
  const { events, end } = await turn('INPUT');
  await end;
  const source = { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' };
  expect(events).toEqual([{ type: 'text', text: JSON.stringify([{ type: 'image', source }]) }]);
});

it('RT-03 what was denied does not run, and the program reads why', async () => {
  const { root, turn } = await open({ verdict: no });
  const { events, end } = await turn('WRITE a.txt x', 'QUOTE');
  await end;
  expect(existsSync(join(root, 'a.txt'))).toBe(false);
  expect(events.slice(1)).toEqual([
    { type: 'action-end', n: 1, status: 'denied', text: 'not on a Friday' },
    { type: 'text', text: 'not on a Friday' },
  ]);
});

it('RT-07 a change is asked about with its content', async () => {
  const { root, turn, asked } = await open();
  writeFileSync(join(root, 'a.txt'), 'one two');
  await (
    await turn('EDIT a.txt two three', 'WRITE b.txt new')
  ).end;
  expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('one three');
  expect(asked).toEqual([
    { kind: 'edit', edits: [{ path: 'a.txt', before: 'two', after: 'three' }] },
    { kind: 'edit', edits: [{ path: 'b.txt', before: null, after: 'new' }] },
  ]);
});

it.each(['ExitPlanMode', 'NotebookEdit', 'AskUserQuestion', 'Bash'])(
  'RT-03 %s without what can be shown is refused without a question',
  async (name) => {
    const { turn, asked } = await open();
    const { events, end } = await turn(`TOOL ${name}`);
    await end;
    expect(asked).toEqual([]);
    expect(events.at(-1)).toMatchObject({ status: 'denied' });
  },
);

it('asks its person by a form, and reads the answers; one that is not answered is a no', async () => {
  const answers = [{ id: 'q1', chosen: [1], text: '' }];
  const { turn, asked, forms } = await open({ form: async () => ({ answers }) });
  const { events, end } = await turn('CHOICE Which?|red|blue');
  await end;
  expect(forms).toEqual([
    {
      message: '',
      questions: [
        { id: 'q1', question: 'Which?', type: 'single', options: ['red: red it is', 'blue: blue it is'] },
      ],
    },
  ]);
  expect(events).toEqual([
    { type: 'action', n: 1, kind: 'form', title: 'Question' },
    { type: 'text', text: '{"Which?":"blue"}' },
    { type: 'action-end', n: 1, status: 'completed', text: 'answered' },
  ]);
  expect(asked).toEqual([]);

  const both = await open({ form: async () => ({ answers: [{ id: 'q1', chosen: [0, 1], text: 'more' }] }) });
  const more = await both.turn('CHOICE Which+?|red|blue');
  await more.end;
  expect(both.forms[0]?.questions[0]?.type).toBe('multi');
  expect(more.events).toContainEqual({ type: 'text', text: '{"Which+?":"red, blue, more"}' });

  const skipped = await open({ form: async () => ({ declined: 'no time' }) });
  const ended = await skipped.turn('CHOICE Which?|red|blue', 'QUOTE');
  await ended.end;
  expect(ended.events.slice(1)).toEqual([
    { type: 'action-end', n: 1, status: 'denied', text: 'no time' },
    { type: 'text', text: 'no time' },
  ]);
});

const answered = (chosen: number[], text = '') => ({ answers: [{ id: 'q1', chosen, text }] });

it('RT-19 its plan is a question; a yes allows nothing of what it names, and it asks as before', async () => {
  const { root, turn, asked, forms } = await open({ form: async () => answered([0]) });
  const { events, end } = await turn('PLAN touch it', 'RUN echo one');
  expect(await end).toMatchObject({ stopReason: 'end_turn' });
  expect(forms).toEqual([
    {
      message: 'is this plan right?',
      questions: [
        {
          ...{ id: 'q1', question: 'Is this plan right?', type: 'single' },
          options: ['Go on with this plan', 'Do not go on yet'],
        },
      ],
      plan: 'touch it',
    },
  ]);
  expect(events.slice(0, 2)).toEqual([
    { type: 'action', n: 1, kind: 'form', title: 'Plan' },
    { type: 'action-end', n: 1, status: 'completed', text: 'approved: touch it' },
  ]);
  expect(existsSync(join(root, 'harm.txt'))).toBe(false);
  expect(asked).toEqual([{ kind: 'command', command: 'echo one' }]);
});

it.each<[FormEnd, string]>([
  [answered([1]), 'The person does not want to go on with this plan yet'],
  [answered([0], 'shorter'), 'The person sent the plan back: shorter'],
  [{ declined: 'The person did not answer' }, 'The person did not answer'],
])('RT-19 a plan that is not approved: it reads why, and still asks', async (form, reason) => {
  const { turn, asked } = await open({ form: async () => form });
  const { events, end } = await turn('PLAN touch it', 'QUOTE', 'RUN echo one');
  await end;
  expect(events.slice(1, 3)).toEqual([
    { type: 'action-end', n: 1, status: 'denied', text: reason },
    { type: 'text', text: reason },
  ]);
  expect(asked).toHaveLength(1);
});

it('RT-19 one that goes on in a mode that asks less is stopped', async () => {
  const { turn } = await open({ form: async () => answered([0]) });
  await expect((await turn('PLAN all!', 'WAIT')).end).rejects.toMatchObject({ code: 'RUNTIME_MISMATCH' });
});

it('RT-06 it ends a cancelled turn while its form is open', async () => {
  const answer = Promise.withResolvers<FormEnd>();
  const { turn, stop } = await open({ form: () => answer.promise });
  const { end, said, events } = await turn('CHOICE Which?|red|blue');
  await said;
  stop();
  answer.resolve({ withdrawn: true });
  expect(await end).toMatchObject({ stopReason: 'cancelled' });
  expect(events.at(-1)).toMatchObject({ status: 'denied', text: 'The turn was stopped' });
});

it('RT-18 a question that it withdraws ends at once; one whose question it withdrew may not act', async () => {
  const { root } = makeFolders();
  const untilWithdrawn = async (_one: unknown, withdrawal: AbortSignal) => {
    writeFileSync(join(root, 'shown'), '');
    await once(withdrawal, 'abort');
    return { withdrawn: true as const };
  };
  const { turn } = await open({ root, verdict: untilWithdrawn, form: untilWithdrawn });
  const { events, end } = await turn('BACKCHOICE Which?|red|blue', 'BACK touch a.txt', 'SAY on');
  expect(await end).toMatchObject({ stopReason: 'end_turn' });
  const taken = { status: 'denied', text: 'The coding agent withdrew its question' };
  expect(events).toEqual([
    { type: 'action', n: 1, kind: 'form', title: 'Question' },
    { type: 'action-end', n: 1, ...taken },
    { type: 'action', n: 2, kind: 'execute', title: 'touch a.txt' },
    { type: 'action-end', n: 2, ...taken },
    { type: 'text', text: 'on' },
  ]);
  const acting = await turn('BACK touch a.txt!', 'WAIT');
  await expect(acting.end).rejects.toMatchObject({ code: 'RUNTIME_MISMATCH' });
});

it('RT-04 one that starts in another mode, or leaves the one in which it asks, is stopped', async () => {
  const auto = await open({ flags: ['--auto'] });
  await expect((await auto.turn('WAIT')).end).rejects.toThrow('left the mode in which it asks');
  const { turn } = await open();
  const { end } = await turn('MODE acceptEdits', 'WAIT');
  await expect(end).rejects.toMatchObject({ code: 'RUNTIME_MISMATCH' });
  const silent = await open({ flags: ['--silent'] });
  await (
    await silent.turn('RUN echo one')
  ).end;
  expect(silent.asked).toEqual([]);
});

it('RT-05 what runs is what was asked about, and one that reports something else is stopped', async () => {
  const { root, turn } = await open();
  await (
    await turn('SWAP touch harm.txt')
  ).end;
  expect(existsSync(join(root, 'harm.txt'))).toBe(false);
  const { end } = await turn('LATER echo harm', 'WAIT');
  await expect(end).rejects.toThrow('did something else than it asked about');
});

it('RT-16 settings, hooks and servers of the folder start nothing and allow nothing', async () => {
  const { root } = makeFolders();
  mkdirSync(join(root, '.claude'));
  const settings = { hook: 'touch hook.txt', allow: ['Bash'] };
  writeFileSync(join(root, '.claude/settings.json'), JSON.stringify(settings));
  writeFileSync(join(root, '.mcp.json'), JSON.stringify({ command: 'touch server.txt' }));
  const { turn, asked } = await open({ root });
  await (
    await turn('RUN echo one')
  ).end;
  expect(asked).toHaveLength(1);
  expect(existsSync(join(root, 'hook.txt'))).toBe(false);
  expect(existsSync(join(root, 'server.txt'))).toBe(false);
});

it('RT-06 cancels a turn, also while it retries or asks, and kills one that goes on for a second', () =>
  stopTurns(open));

it('begins a session with an id of its own, and continues one', async () => {
  const first = await open();
  const said = await first.turn('WHICH');
  await said.end;
  expect(said.events).toEqual([{ type: 'text', text: `default ${first.live.native}` }]);
  await first.live.close?.();
  expect(existsSync(join(first.root, 'record.txt'))).toBe(true);
  const second = await open({ resume: first.live.native });
  const more = await second.turn('WHICH');
  await more.end;
  expect(more.events).toEqual(said.events);
});

it('says that it does not know the conversation', async () => {
  const { root } = makeFolders();
  writeFileSync(join(root, 'forgets'), '');
  await expect(open({ root, resume: 'gone' })).rejects.toMatchObject({ code: 'RUNTIME_SESSION_LOST' });
  const { turn } = await open({ resume: 'one' });
  await expect((await turn('SAY hi', 'FORGOTTEN')).end).rejects.toMatchObject({ code: 'RUNTIME_FAILED' });
});

it('says that it is not signed in, and with what it ended', async () => {
  const { turn } = await open();
  await expect((await turn('SIGNEDOUT')).end).rejects.toMatchObject({ code: 'RUNTIME_SIGN_IN' });
  await expect((await turn('DIE')).end).rejects.toThrow('exit code 3');
});
