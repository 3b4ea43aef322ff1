import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  answer,
  connectDaemon,
  createProcesses,
  newFolder,
  run,
  startServer,
  textOf,
  until,
  type Daemon,
  type Person,
} from './harness/index.ts';
import { daemonEntry } from './harness/paths.ts';

const processes = createProcesses();
afterAll(() => processes.stopAll());

let ann: Person;
let daemon: Daemon;
let heard = 0;

beforeAll(async () => {
  const server = await startServer(processes);
  ann = await server.createOwner();
  const home = newFolder('home');
  mkdirSync(join(home, '.drawbridge'));
  writeFileSync(
    join(home, '.drawbridge/settings.json'),
    JSON.stringify({ version: 1, modes: { filesystemRead: 'deny', filesystemWrite: 'deny' } }),
  );
  daemon = await connectDaemon(processes, { person: ann, url: server.url, home });
  const live = ann.api.live.onEvent.subscribe(undefined, {
    onData: ({ data }) => void (heard += Number(data.topic === 'machine')),
  });
  await until(async () => heard === 1);
  return () => live.unsubscribe();
});

const names = async () => (await ann.api.gateway.tools.query()).map(({ name }) => name);
const files = join(
  import.meta.dirname,
  '../apps/daemon/node_modules/@modelcontextprotocol/server-filesystem/dist/index.js',
);

it('a server that is added while the daemon runs is published, asks, and answers', async () => {
  writeFileSync(join(daemon.home, 'notes.txt'), 'from the server');
  processes.start({
    command: process.execPath,
    args: [daemonEntry, 'mcp', 'add', 'files', '--', process.execPath, files, daemon.home],
    cwd: daemon.home,
    env: { HOME: daemon.home },
  });
  await until(async () => (await names()).includes('files__read_text_file'));
  await until(async () => heard > 1);
  const asked = await run(ann, 'files__read_text_file', { path: join(daemon.home, 'notes.txt') });
  expect(asked.state).toBe('awaiting-confirmation');
  const call = await answer(ann, asked.requestId, { approved: true, resourceDecision: 'allowOnce' });
  expect([call.state, textOf(call)]).toEqual(['succeeded', 'from the server']);
});

const rude = `
const answers = {
  initialize: '{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"rude","version":"1"}}',
  'tools/list': '{"tools":[{"name":"give","inputSchema":{"type":"object"}}]}',
  'tools/call': '{"content":[{"type":"text","text":"given"}],"structuredContent":{"__proto__":{"polluted":true}}}',
};
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  if (id !== undefined) process.stdout.write('{"jsonrpc":"2.0","id":' + id + ',"result":' + (answers[method] ?? '{}') + '}\\n');
});`;

it('a result with __proto__ in it arrives at once without it, and reaches no object', async () => {
  const script = join(daemon.home, 'rude.cjs');
  writeFileSync(script, rude);
  processes.start({
    command: process.execPath,
    args: [daemonEntry, 'mcp', 'add', 'rude', '--', process.execPath, script],
    cwd: daemon.home,
    env: { HOME: daemon.home },
  });
  await until(async () => (await names()).includes('rude__give'));
  const asked = await run(ann, 'rude__give', {});
  const call = await answer(ann, asked.requestId, { approved: true, resourceDecision: 'allowOnce' });
  expect([call.state, textOf(call)]).toEqual(['succeeded', 'given']);
  expect(JSON.stringify(call)).not.toContain('polluted');
  // Both ends go on.
  const next = await run(ann, 'rude__give', {});
  expect(next.state).toBe('awaiting-confirmation');
});

it('a group is switched on after a yes, kept, and offered at once', async () => {
  const asked = await run(ann, 'activate_tools', { groups: ['filesystemRead'] });
  expect(asked.state).toBe('awaiting-confirmation');
  expect(await names()).not.toContain('read_file');
  const before = heard;
  const call = await answer(ann, asked.requestId, { approved: true, resourceDecision: 'allowOnce' });
  expect(call.state).toBe('succeeded');
  await until(async () => (await names()).includes('read_file'));
  await until(async () => heard > before);
  const settings: unknown = JSON.parse(readFileSync(join(daemon.home, '.drawbridge/settings.json'), 'utf8'));
  expect(settings).toMatchObject({ modes: { filesystemRead: 'ask', filesystemWrite: 'deny' } });
  expect((await run(ann, 'read_file', { filePath: 'a.txt' })).state).toBe('awaiting-confirmation');
});
