import { appendFileSync, existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { byCase } from './agent/crash-script.ts';
import { startScriptedModel, type ScriptedModel } from './agent/scripted-model.ts';
import {
  answer,
  createProcesses,
  ended,
  openPersonRpc,
  openRpc,
  questionOf,
  run,
  startMachine,
  textOf,
  until,
  type Daemon,
  type Person,
  type RpcClient,
  type RpcFrame,
  type Server,
} from './harness/index.ts';

const processes = createProcesses();
const letter = { name: 'write_file', arguments: { filePath: 'from-the-agent.txt', content: 'dear agent' } };
const { script, count } = byCase({
  thinks: () => (count('thinks') === 1 ? { text: 'I am think', end: 'silent' } : { text: 'Thought.' }),
  stubborn: () => ({ text: 'I am think', end: 'silent' }),
  second: () => ({ text: 'Second.' }),
  third: () => ({ text: 'Third.' }),
  asks: ({ results }) => (results.length === 0 ? { calls: [letter] } : { text: 'Written.' }),
});
let model: ScriptedModel;
afterAll(async () => {
  await processes.stopAll();
  await model.close();
});

let server: Server;
let ann: Person;
let daemon: Daemon;

const online = () => until(async () => (await ann.api.gateway.status.query()).state === 'online');

beforeAll(async () => {
  model = await startScriptedModel(script);
  const env = { AGENT_MODEL: 'stub', AGENT_MODEL_URL: model.url };
  ({ server, ann, daemon } = await startMachine(processes, { env }));
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

const orderOf = (frames: RpcFrame[]): string[] =>
  frames.map(({ event, data, error }) =>
    event === 'run_state' ? String(data?.['state']) : (event ?? `answer ${error?.code ?? 0}`),
  );

/** Messages of one client; each has a key, so that it can be sent again. */
const sendsOf = (rpc: RpcClient) => {
  const orders = new Map<string, RpcFrame[]>();
  const send = (name: string, sessionId: string) => {
    const frames: RpcFrame[] = [];
    orders.set(name, frames);
    const params = { sessionId, message: `case:${name}`, idempotencyKey: name };
    return rpc.call('agent.send', params, { listen: (frame) => frames.push(frame) });
  };
  return { send, order: (name: string) => orderOf(orders.get(name) ?? []) };
};

it('acceptance 13: killed with an active, waiting and suspended messages: each has one end for its client', async () => {
  const { token } = await ann.api.tokens.create.mutate({
    name: 'script',
    scopes: ['agent', 'filesystemRead', 'filesystemWrite'],
  });
  const before = sendsOf(await openRpc(server.url, token));
  const sent = [
    before.send('thinks', 'ws:busy'),
    before.send('asks', 'ws:asks'),
    before.send('stubborn', 'ws:stubborn'),
  ];
  await until(async () => before.order('thinks').includes('start'));
  sent.push(before.send('second', 'ws:busy'), before.send('third', 'ws:busy'));
  await until(async () => ['second', 'third'].every((name) => before.order(name).includes('queued')));
  await until(async () => before.order('asks').includes('confirm_request'));
  await until(async () => count('thinks') === 1 && count('stubborn') === 1);
  const cut = Promise.allSettled(sent);
  await server.end('SIGKILL');
  expect((await cut).map(({ status }) => status)).toEqual(sent.map(() => 'rejected'));
  await server.restart();
  const again = sendsOf(await openRpc(server.url, token));
  const ran = await Promise.all(['thinks', 'second', 'third'].map((name) => again.send(name, 'ws:busy')));
  expect(ran.map(({ result }) => result?.['content'])).toEqual(['Thought.', 'Second.', 'Third.']);
  for (const times of [2, 3]) {
    await until(async () => count('stubborn') === times);
    await server.end('SIGKILL');
    await server.restart();
  }
  await online();

  const rpc = await openRpc(server.url, token);
  const after = sendsOf(rpc);
  const asks = after.send('asks', 'ws:asks');
  await until(async () => after.order('asks').includes('confirm_request'));
  const person = await openPersonRpc(server.url, ann);
  const { result } = await person.call('agent.confirmations');
  const [{ confirmId } = {}] = (result?.['confirmations'] ?? []) as { confirmId: string }[];
  const decision = { confirmId, decision: 'allowOnce' };
  expect((await rpc.call('agent.confirm', decision)).error?.code).toBe(15);
  expect((await person.call('agent.confirm', decision)).result).toMatchObject({ alreadyResolved: false });
  expect((await asks).result).toMatchObject({ content: 'Written.' });
  expect(after.order('asks').slice(-3)).toEqual(['complete', 'done', 'answer 0']);

  const { error } = await after.send('stubborn', 'ws:stubborn');
  expect(error).toMatchObject({ code: 5, data: { code: 'INTERRUPTED' } });
  expect(['thinks', 'second', 'third', 'asks', 'stubborn'].map(count)).toEqual([2, 1, 1, 2, 3]);
  const { result: got } = await rpc.call('sessions.get', { sessionId: 'ws:busy' });
  expect(got?.['history']).toMatchObject(
    ['case:thinks', 'Thought.', 'case:second', 'Second.', 'case:third', 'Third.'].map((content) => ({
      content,
    })),
  );
  const written = (await ann.api.calls.list.query({})).calls.filter(({ door }) => door === 'agent');
  expect(written.map(({ tool, state }) => [tool, state])).toEqual([['write_file', 'succeeded']]);
});
