import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  answer,
  connectDaemon,
  createProcesses,
  daemonEntry,
  fromRoot,
  run,
  startServer,
  textOf,
  type Daemon,
  type Person,
  type Processes,
} from '../harness/index.ts';
import { describeWith } from '../services.ts';
import { otherNode } from './index.ts';

const processes = createProcesses();
const site = createServer((_request, response) =>
  response.end('<title>A page</title><h1>Over the bridge</h1>'),
);
beforeAll(() => new Promise<void>((resolve) => void site.listen(0, '127.0.0.1', resolve)));
afterAll(async () => {
  site.close();
  await processes.stopAll();
});

/** Starts our programs with another Node. */
const withNode = (node: string): Processes => ({
  ...processes,
  start: (options) =>
    processes.start({ ...options, command: options.command === process.execPath ? node : options.command }),
});

const flags = ['--permission-shell', 'allow', '--permission-browser', 'allow'];

/** Loads each add-on with a binary, and uses those that need no display. */
const addOns = `
  const { Transformer } = require('@napi-rs/image');
  const png = Transformer.fromRgbaPixels(new Uint8Array(16), 2, 2).pngSync();
  const { width, height } = new Transformer(png).metadataSync();
  const { Entry } = require('@napi-rs/keyring');
  const { keyTap } = require('@jitsi/robotjs');
  const { Monitor } = require('node-screenshots');
  const there = { keyring: Entry, robotjs: keyTap, screenshots: Monitor };
  const names = Object.keys(there).filter((name) => typeof there[name] === 'function');
  process.stdout.write([width * height + ' pixels', ...names].join(', '));
`;

const useMachine = async (ann: Person, daemon: Daemon) => {
  writeFileSync(join(daemon.root, 'notes.txt'), 'first\n');
  expect(textOf(await run(ann, 'read_file', { filePath: 'notes.txt' }))).toContain('first');
  const asked = await run(ann, 'write_file', { filePath: 'new.txt', content: 'two' });
  expect(await answer(ann, asked.requestId, { approved: true, resourceDecision: 'allowOnce' })).toMatchObject(
    {
      state: 'succeeded',
    },
  );
  expect(readFileSync(join(daemon.root, 'new.txt'), 'utf8')).toBe('two');
  const ran = await run(ann, 'shell_execute', { command: 'cat new.txt' });
  expect(textOf(ran)).toBe('{"stdout":"two","stderr":"","exitCode":0}');
};

describeWith(
  'other nodes',
  'bubblewrap',
  'chromium',
)('every supported Node', () => {
  it.each([
    ['the oldest', otherNode('oldest')],
    ['the one that the scripts bring', process.execPath],
    ['the newest', otherNode('newest')],
  ])('%s: a machine pairs, reads, writes, runs a command and opens a page', async (_which, node = '') => {
    const own = withNode(node);
    const server = await startServer(own);
    const ann = await server.createOwner();
    const daemon = await connectDaemon(own, { person: ann, url: server.url, flags });
    await useMachine(ann, daemon);
    const { port } = site.address() as AddressInfo;
    const asked = await run(ann, 'browser_navigate', { url: `http://127.0.0.1:${port}/` });
    const opened = await answer(ann, asked.requestId, { approved: true, resourceDecision: 'allowOnce' });
    expect([opened.state, textOf(opened)]).toEqual(['succeeded', expect.stringContaining('A page')]);
    // The server has used libsql by now; these are of the daemon.
    expect(execFileSync(node, ['-e', addOns], { cwd: fromRoot('apps/daemon'), encoding: 'utf8' })).toBe(
      '4 pixels, keyring, robotjs, screenshots',
    );
  });
});

describeWith(
  'other nodes',
  'bubblewrap',
  'registry',
)('an older Node', () => {
  it('installs a newer one for itself, says so in one line, and shows it to commands', async () => {
    const server = await startServer(processes);
    const ann = await server.createOwner();
    const own = withNode(otherNode('old') ?? '');
    const daemon = await connectDaemon(own, { person: ann, url: server.url, flags });
    const lines = daemon.process.output().split('\n');
    expect(lines.filter((line) => line.startsWith('Node '))).toEqual([
      `Node 20.19.5 is too old for drawbridge: continuing with Node 24.21.0, installed in ${daemon.home}/.drawbridge/node.`,
    ]);
    await useMachine(ann, daemon);
    expect(existsSync(join(daemon.home, '.drawbridge/node/24.21.0/package-lock.json'))).toBe(true);
    const again = execFileSync(otherNode('old') ?? '', [daemonEntry, '--version'], {
      env: { HOME: daemon.home },
      encoding: 'utf8',
    });
    expect(again).toMatch(/^\d+\.\d+\.\d+\n$/);
    daemon.process.signal('SIGTERM');
    expect(await daemon.process.exit).toEqual({ code: 0, signal: null });
  });
});
