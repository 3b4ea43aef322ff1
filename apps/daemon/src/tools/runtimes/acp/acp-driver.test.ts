import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createFakeClock } from '@drawbridge/kit';
import { expect, it } from 'vitest';
import { openWith } from '../../../../test/support/driver-fixture.ts';
import { makeFolders } from '../../../../test/support/tool-fixture.ts';
import type { Answered, FormEnd, Verdict } from '../driver.ts';
import { openAcp } from './acp-driver.ts';

const open = openWith(openAcp, 'acp-stand-in.mjs');

it('gives text, thoughts, the plan, actions with their ends, and the tokens of its context', async () => {
  const { turn, asked } = await open();
  const { events, end } = await turn('THINK hm', 'PLAN test it', 'SAY hello', 'RUN echo one', 'GARBAGE');
  expect(await end).toEqual({ stopReason: 'end_turn', tokens: 1234 });
  expect(events).toEqual([
    { type: 'thought', text: 'hm' },
    { type: 'plan', items: [{ text: 'test it', status: 'pending' }] },
    { type: 'text', text: 'hello' },
    { type: 'action', n: 1, kind: 'execute', title: 'echo one' },
    { type: 'action-end', n: 1, status: 'completed', text: 'one' },
  ]);
  expect(asked).toEqual([{ kind: 'command', command: 'echo one' }]);
});

it('RT-03 says yes once, and no with nothing done', async () => {
  const allow = new Set(['a.txt']);
  const { root, turn, asked } = await open({
    verdict: async (request) =>
      request.kind === 'edit' && allow.has(request.edits[0]?.path.split('/').at(-1) ?? '')
        ? { allow: true }
        : { allow: false, reason: 'not that' },
  });
  const { events, end } = await turn('EDIT a.txt yes', 'EDIT b.txt no', 'RUN touch c.txt');
  await end;
  expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('yes');
  expect(() => readFileSync(join(root, 'b.txt'))).toThrow('ENOENT');
  expect(() => readFileSync(join(root, 'c.txt'))).toThrow('ENOENT');
  expect(asked[0]).toEqual({
    kind: 'edit',
    edits: [{ path: join(root, 'a.txt'), before: null, after: 'yes' }],
  });
  expect(events.filter(({ type }) => type === 'action-end')).toEqual([
    { type: 'action-end', n: 1, status: 'completed', text: 'written' },
    { type: 'action-end', n: 2, status: 'denied', text: 'not that' },
    { type: 'action-end', n: 3, status: 'denied', text: 'not that' },
  ]);
});

it('RT-04 a program that starts in another mode is put into the one that asks, and one that leaves it is stopped', async () => {
  const { turn } = await open({ flags: ['--auto'] });
  const { end, events } = await turn('WHICH', 'MODE auto', 'WAIT');
  await expect(end).rejects.toThrow('left the mode in which it asks');
  expect(events).toEqual([{ type: 'text', text: 'default' }]);
});

it('RT-04 one without that mode is not used', async () => {
  await expect(open({ flags: ['--no-modes'] })).rejects.toThrow('no mode "default"');
});

it('RT-05 one that runs something else than it asked about is stopped', async () => {
  const { turn } = await open();
  const { end } = await turn('SWAP echo harm', 'WAIT');
  await expect(end).rejects.toThrow('did something else than it asked about');
});

it('says that it is not signed in', async () => {
  await expect(open({ flags: ['--signed-out'] })).rejects.toMatchObject({ code: 'RUNTIME_SIGN_IN' });
});

const pictures = [{ name: 'a.png', mediaType: 'image/png' as const, data: 'iVBORw0KGgo=' }];

it('gives pictures with the task; where it takes none they are named', async () => {
  const taking = await (await open({ pictures })).turn('INPUT');
  await taking.end;
  const block = [{ type: 'image', mimeType: 'image/png', data: 'iVBORw0KGgo=' }];
  expect(taking.events).toEqual([{ type: 'text', text: JSON.stringify(block) }]);
  const naming = await (await open({ pictures, flags: ['--no-pictures'] })).turn('INPUT');
  await naming.end;
  const line = [{ type: 'text', text: '[The picture "a.png" cannot be passed on to you.]' }];
  expect(naming.events).toEqual([
    { type: 'notice', text: 'It takes no pictures: they are named to it alone' },
    { type: 'text', text: JSON.stringify(line) },
  ]);
});

it('continues a session, without what it replays', async () => {
  const { turn } = await open({ resume: 's1' });
  const { events, end } = await turn('SAY more');
  await end;
  expect(events).toEqual([{ type: 'text', text: 'more' }]);
});

it('the program ends a cancelled turn, also while it asks', async () => {
  const waiting = await open();
  const writing = await waiting.turn('SAY hi', 'WAIT');
  await writing.said;
  waiting.stop();
  expect(await writing.end).toMatchObject({ stopReason: 'cancelled' });

  const withdrawn = Promise.withResolvers<Verdict>();
  const asking = await open({ verdict: () => withdrawn.promise });
  const asked = await asking.turn('RUN echo one');
  await asked.said;
  asking.stop();
  withdrawn.resolve({ withdrawn: true });
  expect(await asked.end).toMatchObject({ stopReason: 'cancelled' });
});

it('RT-06 one that does not end is killed a second later', async () => {
  const clock = createFakeClock();
  const { turn, stop } = await open({ clock });
  const { end, said } = await turn('SAY hi', 'STUCK');
  await said;
  stop();
  await clock.settle(1_000);
  await expect(end).rejects.toMatchObject({ code: 'RUNTIME_FAILED' });
});

it('one that is silent for 10 min is given up, not while it asks', async () => {
  const clock = createFakeClock();
  const verdict = Promise.withResolvers<Verdict>();
  const { turn } = await open({ clock, verdict: () => verdict.promise });
  const asking = await turn('RUN echo one', 'SAY done');
  await asking.said;
  await clock.settle(25 * 60_000);
  verdict.resolve({ allow: true });
  expect(await asking.end).toMatchObject({ stopReason: 'end_turn' });
  const silent = await turn('SAY hi', 'WAIT');
  await silent.said;
  await clock.settle(10 * 60_000);
  await expect(silent.end).rejects.toThrow('said nothing for 10 min');
});

it('one that dies says with what', async () => {
  const { turn, root } = await open();
  writeFileSync(join(root, 'x'), '');
  const { end } = await turn('DIE');
  await expect(end).rejects.toThrow('exit code 3');
});

const fields = {
  name: { type: 'string', title: 'Name', description: 'of the branch' },
  colour: {
    type: 'string',
    oneOf: [
      { const: 'r', title: 'Red' },
      { const: 'b', title: 'Blue' },
    ],
  },
  tests: { type: 'boolean', title: 'Run the tests' },
  parts: { type: 'array', items: { enum: ['api', 'web'] } },
};

it('asks its person by a form, and reads the answers in its own form', async () => {
  const given: Answered[] = [
    { id: 'q1', chosen: [], text: 'main' },
    { id: 'q2', chosen: [1], text: '' },
    { id: 'q3', chosen: [0], text: '' },
    { id: 'q4', chosen: [0, 1], text: '' },
  ];
  const { turn, forms, asked } = await open({ form: async () => ({ answers: given }) });
  const { events, end } = await turn(`FORM ${JSON.stringify(fields)}`);
  await end;
  expect(forms).toEqual([
    {
      message: 'Before I begin',
      questions: [
        { id: 'q1', question: 'Name: of the branch', type: 'text' },
        { id: 'q2', question: 'colour', type: 'single', options: ['Red', 'Blue'] },
        { id: 'q3', question: 'Run the tests', type: 'single', options: ['Yes', 'No'] },
        { id: 'q4', question: 'parts', type: 'multi', options: ['api', 'web'] },
      ],
    },
  ]);
  const content = { name: 'main', colour: 'b', tests: true, parts: ['api', 'web'] };
  expect(events).toEqual([
    { type: 'action', n: 1, kind: 'form', title: 'Question' },
    { type: 'action-end', n: 1, status: 'completed', text: 'The person has answered' },
    { type: 'text', text: JSON.stringify({ action: 'accept', content }) },
  ]);
  expect(asked).toEqual([]);
});

const text = (end: FormEnd) => async () => end;
const one = (id: string, words: string) => ({ answers: [{ id, chosen: [], text: words }] });

it.each<[string, object, FormEnd, object]>([
  ['skipped', fields, { declined: 'no' }, { action: 'decline' }],
  ['stopped', fields, { withdrawn: true }, { action: 'cancel' }],
  ['without what it needs', fields, one('q2', 'green'), { action: 'decline' }],
  ['words for a number', { n: { type: 'integer' } }, one('q1', 'many'), { action: 'decline' }],
  ['a number', { n: { type: 'integer' } }, one('q1', '7'), { action: 'accept', content: { n: 7 } }],
  ['words beside the choices', { c: fields.colour }, one('q1', 'green'), { action: 'decline' }],
])('a form: %s', async (_name, given, end, said) => {
  const { turn } = await open({ form: text(end) });
  const { events, end: over } = await turn(`FORM ${JSON.stringify(given)}`);
  await over;
  expect(events.at(-1)).toEqual({ type: 'text', text: JSON.stringify(said) });
});

it('RT-18 a question that it withdraws ends at once; one whose question it withdrew may not act', async () => {
  const { root } = makeFolders();
  const untilWithdrawn = async (_one: unknown, withdrawal: AbortSignal) => {
    writeFileSync(join(root, 'shown'), '');
    await once(withdrawal, 'abort');
    return { withdrawn: true as const };
  };
  const { turn } = await open({ root, verdict: untilWithdrawn, form: untilWithdrawn });
  const { events, end } = await turn(`BACKFORM ${JSON.stringify(fields)}`, 'BACK touch a.txt');
  await end;
  const taken = { status: 'denied', text: 'The coding agent withdrew its question' };
  const error = { code: -32_800, message: 'Request cancelled' };
  expect(events).toEqual([
    { type: 'action', n: 1, kind: 'form', title: 'Question' },
    { type: 'action-end', n: 1, ...taken },
    { type: 'text', text: JSON.stringify({ error }) },
    { type: 'action', n: 2, kind: 'execute', title: 'touch a.txt' },
    { type: 'action-end', n: 2, ...taken },
    { type: 'text', text: '[cancelled]' },
  ]);
  const acting = await turn('BACK touch a.txt!', 'WAIT');
  await expect(acting.end).rejects.toMatchObject({ code: 'RUNTIME_MISMATCH' });
});

it('a page and a password are declined, and its person is not asked', async () => {
  const { turn, forms } = await open({ form: text(one('q1', 'x')) });
  const { events, end } = await turn(
    'URL',
    `FORM ${JSON.stringify({ p: { type: 'string', format: 'password' } })}`,
  );
  await end;
  const declined = { type: 'text', text: '{"action":"decline"}' };
  expect(events).toEqual([declined, declined]);
  expect(forms).toEqual([]);
});
