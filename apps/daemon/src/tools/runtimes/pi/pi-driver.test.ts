import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createFakeClock } from '@drawbridge/kit';
import { expect, it } from 'vitest';
import { testFailures, stopTurns } from '../../../../test/support/driver-ends.ts';
import { openWith } from '../../../../test/support/driver-fixture.ts';
import { makeFolders } from '../../../../test/support/tool-fixture.ts';
import type { Verdict } from '../driver.ts';
import { openPi } from './pi-driver.ts';

const open = openWith(openPi, 'pi-stand-in.mjs');
const no = async (): Promise<Verdict> => ({ allow: false, reason: 'not on a Friday' });
const denied = (n: number, text: string) => ({ type: 'action-end', n, status: 'denied', text });

it('gives text, thoughts, actions with their ends, its tries, and the tokens of its context', async () => {
  const { turn, asked } = await open();
  const { events, end } = await turn(
    'THINK hm',
    'SAY hello',
    'RUN echo one',
    'GARBAGE',
    'RETRY',
    'TOOL other',
  );
  expect(await end).toEqual({ stopReason: 'end_turn', tokens: 1_234 });
  expect(events).toEqual([
    { type: 'thought', text: 'hm' },
    { type: 'text', text: 'hello' },
    { type: 'action', n: 1, kind: 'execute', title: 'echo one' },
    { type: 'action-end', n: 1, status: 'completed', text: 'one' },
    { type: 'notice', text: 'Its model failed; next try in 2 s' },
    { type: 'action', n: 2, kind: 'other', title: 'other' },
    { type: 'action-end', n: 2, status: 'completed', text: 'done' },
  ]);
  expect(asked).toEqual([
    { kind: 'command', command: 'echo one' },
    { kind: 'other', name: 'other', input: { q: 1 } },
  ]);
});

it('RT-07 a change is asked about with its content, one of several parts as one', async () => {
  const { root, turn, asked } = await open();
  writeFileSync(join(root, 'a.txt'), 'one two three');
  const { end } = await turn('EDIT a.txt one 1 three 3', 'WRITE b.txt new', 'READ b.txt', 'EDIT a.txt  x');
  await end;
  expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('1 two 3');
  const parts = [{ before: 'three', after: '3' }];
  expect(asked).toEqual([
    { kind: 'edit', edits: [{ path: 'a.txt', before: 'one', after: '1', parts }] },
    { kind: 'edit', edits: [{ path: 'b.txt', before: null, after: 'new' }] },
    { kind: 'read', paths: ['b.txt'] },
  ]);
});

it('RT-03 what was denied is not done, and it reads why', async () => {
  const { root, turn } = await open({ verdict: no });
  const { events, end } = await turn('RUN touch no.txt', 'SAY sorry');
  expect(await end).toMatchObject({ stopReason: 'end_turn' });
  expect(events.slice(1)).toEqual([denied(1, 'not on a Friday'), { type: 'text', text: 'sorry' }]);
  expect(existsSync(join(root, 'no.txt'))).toBe(false);
});

it('RT-05 what was asked about is what runs', async () => {
  const { root, turn } = await open();
  const { events, end } = await turn('SWAP touch harm.txt');
  await end;
  expect(events.at(-1)).toMatchObject({ status: 'completed', text: 'harmless' });
  expect(existsSync(join(root, 'harm.txt'))).toBe(false);
});

it('RT-05 one that acts without its question is stopped', async () => {
  const { turn } = await open();
  const { end } = await turn('UNASKED echo harm', 'WAIT');
  await expect(end).rejects.toThrow('did something else than it asked about');
});

it('RT-04 one that does not load what asks is not used', async () => {
  const clock = createFakeClock();
  const { root } = makeFolders();
  const opening = expect(open({ clock, root, flags: ['--no-gate'] })).rejects.toMatchObject({
    code: 'RUNTIME_UNAVAILABLE',
  });
  await expect.poll(() => existsSync(join(root, 'answered'))).toBe(true);
  await clock.settle(30_000);
  await opening;
});

it('RT-16 an extension of the folder is not loaded; its instructions are given', async () => {
  const { root } = makeFolders();
  mkdirSync(join(root, '.pi'));
  writeFileSync(join(root, '.pi/extension'), 'touch hook.txt');
  const { turn } = await open({ root, resume: 's1' });
  const { events, end } = await turn('GUIDE');
  await end;
  expect(existsSync(join(root, 'hook.txt'))).toBe(false);
  expect(events).toEqual([{ type: 'text', text: 'Instructions of this folder:\nof AGENTS.md' }]);
});

it('gives pictures with the task', async () => {
  const pictures = [{ name: 'a.png', mediaType: 'image/png' as const, data: 'iVBORw0KGgo=' }];
  const { turn } = await open({ pictures });
  const { events, end } = await turn('INPUT');
  await end;
  const block = [{ type: 'image', mimeType: 'image/png', data: 'iVBORw0KGgo=' }];
  expect(events).toEqual([{ type: 'text', text: JSON.stringify(block) }]);
});

testFailures(open);

it('RT-06 cancels a turn, also while it retries or asks, and kills one that goes on for a second', () =>
  stopTurns(open));
