import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  answer,
  createProcesses,
  ended,
  questionOf,
  run,
  startDaemon,
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
const flags = ['--permission-shell', 'allow', '--dangerously-disable-shell-sandbox'];

const online = () => until(async () => (await ann.api.gateway.status.query()).state === 'online');
const startAgain = async () => {
  const { root, home } = daemon;
  daemon = startDaemon(processes, { url: server.url, root, home, flags });
  await daemon.process.says(/^\s*connected /m);
};

/** Starts a command that waits for a file `go`, and returns its id when it runs. */
const begin = async (name: string): Promise<string> => {
  const command = `echo run >> ${name}; while [ ! -e go ]; do sleep 0.05; done; echo out`;
  void run(ann, 'shell_execute', { command }).catch(() => undefined);
  await until(async () => existsSync(join(daemon.root, name)));
  const { calls } = await ann.api.calls.list.query({});
  return String(calls[0]?.requestId);
};

beforeAll(async () => {
  ({ server, ann, daemon } = await startMachine(processes, { flags }));
});

it('killed during a command: the call is lost, says so, and never runs again', async () => {
  const requestId = await begin('first');
  await daemon.process.end('SIGKILL');
  await startAgain();
  const call = await ended(ann, requestId);
  expect([call.state, call.started]).toEqual(['lost', true]);
  expect(textOf(call)).toMatch(/^This call may have run: drawbridge ended there before it had a result/);
  await online();
  expect(readFileSync(join(daemon.root, 'first'), 'utf8')).toBe('run\n');
});

it('CF-11 killed with an open question: the answer starts nothing, it is asked again', async () => {
  const path = join(daemon.root, 'letter.txt');
  const { requestId } = await run(ann, 'write_file', { filePath: 'letter.txt', content: 'dear reader' });
  const first = await questionOf(ann, requestId);
  await daemon.process.end('SIGKILL');
  await startAgain();
  await online();
  await ann.api.confirmations.decide.mutate({
    confirmationId: first.id,
    approved: true,
    resourceDecision: 'allowOnce',
  });
  const second = await until(async () => {
    const open = await ann.api.confirmations.list.query();
    return open.find((one) => one.requestId === requestId && one.id !== first.id);
  });
  expect([second.resource, existsSync(path)]).toEqual([path, false]);
  const call = await answer(ann, requestId, { approved: true, resourceDecision: 'allowOnce' });
  expect([call.state, readFileSync(path, 'utf8')]).toEqual(['succeeded', 'dear reader']);
});

it('server and daemon killed one after the other: the result that was on disk arrives, of one run', async () => {
  const requestId = await begin('third');
  await server.end('SIGKILL');
  writeFileSync(join(daemon.root, 'go'), '');
  await daemon.process.says(/^\s*ok +shell_execute {2}echo run >> third/m);
  await daemon.process.end('SIGKILL');
  await server.restart();
  await startAgain();
  const call = await ended(ann, requestId);
  expect([call.state, textOf(call)]).toEqual([
    'succeeded',
    JSON.stringify({ stdout: 'out\n', stderr: '', exitCode: 0 }),
  ]);
  expect(readFileSync(join(daemon.root, 'third'), 'utf8')).toBe('run\n');
});
