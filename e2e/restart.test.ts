import { appendFileSync, existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  answer,
  createProcesses,
  ended,
  questionOf,
  run,
  startMachine,
  textOf,
  until,
  type Daemon,
  type Person,
  type Server,
} from './harness/index.ts';

const processes = createProcesses();
afterAll(() => processes.stopAll());

let server: Server;
let ann: Person;
let daemon: Daemon;

const online = () => until(async () => (await ann.api.gateway.status.query()).state === 'online');

beforeAll(async () => {
  ({ server, ann, daemon } = await startMachine(processes));
});

it('CF-11 PS-05 killed with an open confirmation: the daemon comes back, the answer counts, the file is written once', async () => {
  const path = join(daemon.root, 'letter.txt');
  const asked = await run(ann, 'write_file', { filePath: 'letter.txt', content: 'dear reader' });
  const before = await questionOf(ann, asked.requestId);

  await server.end('SIGKILL');
  await server.restart();
  await online();
  await until(async () => daemon.process.output().match(/^\s*connected /gm)?.length === 2);

  const after = await questionOf(ann, asked.requestId);
  expect(after).toEqual(before);
  expect(existsSync(path)).toBe(false);

  const call = await answer(ann, asked.requestId, { approved: true, resourceDecision: 'allowOnce' });
  expect(call).toMatchObject({ state: 'succeeded', decision: 'allowOnce', confirmationId: null });
  expect(readFileSync(path, 'utf8')).toBe('dear reader');

  // What a second run of the same write would undo.
  const { ino } = statSync(path);
  appendFileSync(path, ' and more');
  await server.end('SIGKILL');
  await server.restart();
  await online();
  expect(textOf(await run(ann, 'read_file', { filePath: 'letter.txt' }))).toContain('dear reader and more');
  expect(statSync(path).ino).toBe(ino);
  expect(await ended(ann, asked.requestId)).toEqual(call);
});

it('PS-05 killed after the answer and before the daemon received it: the write happens once, and is recorded', async () => {
  const path = join(daemon.root, 'late.txt');
  const asked = await run(ann, 'write_file', { filePath: 'late.txt', content: 'late' });
  const { id } = await questionOf(ann, asked.requestId);
  const decided = ann.api.confirmations.decide.mutate({
    confirmationId: id,
    approved: true,
    resourceDecision: 'allowOnce',
  });
  await decided;
  await server.end('SIGKILL');
  await server.restart();
  await online();
  expect(await ended(ann, asked.requestId)).toMatchObject({ state: 'succeeded', decision: 'allowOnce' });
  expect(readFileSync(path, 'utf8')).toBe('late');
});

it('keeps accounts, sessions and the record of calls', async () => {
  const { calls } = await ann.api.calls.list.query({});
  expect(calls.map((call) => [call.tool, call.state])).toEqual([
    ['write_file', 'succeeded'],
    ['read_file', 'succeeded'],
    ['write_file', 'succeeded'],
  ]);
});

it('on SIGTERM: the daemon reconnects without pairing, and the server exits with 0', async () => {
  expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
  await server.restart();
  await online();
  expect((await run(ann, 'read_file', { filePath: 'letter.txt' })).state).toBe('succeeded');
});
