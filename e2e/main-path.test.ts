import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { ConfirmationAnswer } from '@drawbridge/contracts/confirmation';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  answer,
  connectDaemon,
  createProcesses,
  owner,
  run,
  setupToken,
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

beforeAll(async () => {
  ({ server, ann, daemon } = await startMachine(processes));
});

describe('set-up', () => {
  it('is done once, with the token of the console', async () => {
    const stranger = server.visitor();
    expect(await stranger.api.setup.status.query()).toMatchObject({ needed: false });
    await expect(stranger.api.setup.createOwner.mutate({ setupToken, ...owner })).rejects.toMatchObject({
      data: { code: 'ALREADY_SET_UP' },
    });
    await expect(stranger.api.gateway.status.query()).rejects.toMatchObject({
      data: { code: 'UNAUTHORIZED' },
    });
  });

  it('ends in an account that can sign in again', async () => {
    const again = server.visitor();
    await again.signIn(owner);
    expect(await again.api.account.me.query()).toMatchObject({
      name: 'Ann',
      email: owner.email,
      isOwner: true,
    });
  });
});

describe('a connected machine', () => {
  it('is shown with its host and its folder', async () => {
    const status = await ann.api.gateway.status.query();
    expect(status).toMatchObject({ connected: true, state: 'online', directory: daemon.root });
    expect(status.hostIdentifier).toContain(hostname());
  });

  it('reads a file', async () => {
    writeFileSync(join(daemon.root, 'notes.txt'), 'first\nsecond\n');
    const call = await run(ann, 'read_file', { filePath: 'notes.txt' });
    expect(call).toMatchObject({
      state: 'succeeded',
      tool: 'read_file',
      door: 'trpc',
      error: null,
      decision: null,
    });
    expect(textOf(call)).toContain(JSON.stringify('first\nsecond\n'));
  });

  it('refuses a file outside its folder', async () => {
    const outside = join(daemon.home, 'secret.txt');
    writeFileSync(outside, 'secret');
    const call = await run(ann, 'read_file', { filePath: outside });
    expect(call.state).toBe('failed');
    expect(JSON.stringify(call)).not.toContain('"secret"');
  });

  it('has no tool of a group on deny', async () => {
    await expect(run(ann, 'shell_execute', { command: 'id' })).rejects.toMatchObject({
      data: { code: 'UNKNOWN_TOOL' },
    });
  });

  it('removes a decision that the caller slipped in', async () => {
    const args = { filePath: 'slipped.txt', content: 'x', _confirmation: 'alwaysAllow' };
    const call = await run(ann, 'write_file', args);
    expect(call).toMatchObject({ state: 'awaiting-confirmation', decision: null });
    expect(call.arguments).toEqual({ filePath: 'slipped.txt', content: 'x' });
    await answer(ann, call.requestId, { approved: false });
    expect(existsSync(join(daemon.root, 'slipped.txt'))).toBe(false);
  });
});

const allowed = 'succeeded';
const denied = 'denied';
const asks = 'awaiting-confirmation';

it.each<[string, ConfirmationAnswer, string, string]>([
  ['allowOnce', { approved: true, resourceDecision: 'allowOnce' }, allowed, asks],
  ['allowForSession', { approved: true, resourceDecision: 'allowForSession' }, allowed, allowed],
  ['alwaysAllow', { approved: true, resourceDecision: 'alwaysAllow' }, allowed, allowed],
  ['denyOnce', { approved: false, resourceDecision: 'denyOnce' }, denied, asks],
  ['alwaysDeny', { approved: false, resourceDecision: 'alwaysDeny' }, denied, denied],
  ['denied without a decision', { approved: false }, denied, asks],
])('%s', async (name, decision, first, second) => {
  const filePath = `${name.replaceAll(' ', '-')}.txt`;
  const path = join(daemon.root, filePath);

  const asked = await run(ann, 'write_file', { filePath, content: 'one' });
  expect(asked.state).toBe(asks);
  expect(existsSync(path)).toBe(false);

  const call = await answer(ann, asked.requestId, decision);
  expect(call).toMatchObject({ state: first, decision: decision.resourceDecision ?? null });
  expect(existsSync(path) && readFileSync(path, 'utf8')).toBe(first === allowed && 'one');

  const again = await run(ann, 'write_file', { filePath, content: 'two' });
  expect(again.state).toBe(second);
  if (second === asks) await answer(ann, again.requestId, { approved: false });
  const expected = first === allowed && (second === allowed ? 'two' : 'one');
  expect(existsSync(path) && readFileSync(path, 'utf8')).toBe(expected);
});

describe('disconnect', () => {
  it('ends the daemon, its session rules and its key, but not what was allowed for always', async () => {
    await ann.api.gateway.disconnect.mutate();
    expect(await daemon.process.exit).toEqual({ code: 0, signal: null });
    expect(await ann.api.gateway.status.query()).toMatchObject({ connected: false, state: 'offline' });
    await expect(run(ann, 'read_file', { filePath: 'notes.txt' })).rejects.toMatchObject({
      data: { code: 'NOT_CONNECTED' },
      message: 'Local gateway is not connected',
    });

    const { root, home } = daemon;
    daemon = await connectDaemon(processes, { person: ann, url: server.url, root, home });
    const write = async (filePath: string) =>
      (await run(ann, 'write_file', { filePath, content: 'three' })).state;
    expect(await write('alwaysAllow.txt')).toBe(allowed);
    expect(await write('alwaysDeny.txt')).toBe(denied);
    expect(await write('allowForSession.txt')).toBe(asks);
  });

  it('by the person at the machine ends with 0 and is seen at once', async () => {
    expect(await daemon.process.end('SIGINT')).toEqual({ code: 0, signal: null });
    await until(async () => (await ann.api.gateway.status.query()).state === 'offline');
  });
});

it('publishes every change to the panel, live', async () => {
  const states: string[] = [];
  const subscription = ann.api.live.onEvent.subscribe(undefined, {
    onData: ({ data: { topic, event } }) => {
      if (topic === 'machine') states.push(event.payload.state);
    },
  });
  await until(async () => states.length > 0);
  const other = await connectDaemon(processes, { person: ann, url: server.url });
  await until(async () => states.includes('online'));
  await other.process.end('SIGINT');
  await until(async () => states.at(-1) === 'offline');
  subscription.unsubscribe();
  // Its stream may be seen to close a moment before its goodbye arrives.
  expect(states.filter((state) => state !== 'grace')).toEqual(['offline', 'online', 'offline']);
});
