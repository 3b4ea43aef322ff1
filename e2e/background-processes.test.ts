import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  connectDaemon,
  createProcesses,
  daemonEntry,
  openPage,
  callMcp,
  postMcp,
  startBrowser,
  startServer,
  until,
  widthFaults,
  type Daemon,
  type Person,
  type Server,
} from './harness/index.ts';
import { describeWith } from './services.ts';

/** Prints lines until it is ended; `state` beside it takes the place of a source that is edited. */
const watcher =
  String.raw`printf '\033]52;c;eA==\007\033]0;title\007\302\2330m'; ` +
  `at=0; while :; do at=$((at + 1)); printf '\\033[32mtick\\033[0m %s\\n' $at; sleep 0.1; done`;

describeWith('chromium', 'bubblewrap')('a process in the background', () => {
  const programs = createProcesses();
  let server: Server;
  let ann: Person;
  let daemon: Daemon;
  let browser: Browser;
  let page: Page;
  const tokens: Record<string, string> = {};

  beforeAll(async () => {
    server = await startServer(programs);
    ann = await server.createOwner();
    daemon = await connectDaemon(programs, {
      person: ann,
      url: server.url,
      flags: ['--permission-shell', 'allow'],
    });
    for (const name of ['Desk', 'Other']) {
      const { token } = await ann.api.tokens.create.mutate({ name, scopes: ['shell'] });
      tokens[name] = token;
    }
    browser = await startBrowser();
    page = await openPage(browser, { person: ann });
  });
  afterAll(async () => {
    await browser?.close();
    await programs.stopAll();
  });

  const mcp = async (name: string, method: string, params: Record<string, unknown>): Promise<string> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    return (await postMcp(server.url, { token: tokens[name], body })).text();
  };
  const call = (name: string, tool: string, args: Record<string, unknown>) =>
    callMcp(server.url, { token: tokens[name], tool, args });
  const read = async (process: string, more: Record<string, unknown> = {}) =>
    JSON.parse(await call('Desk', 'process_read', { process, ...more })) as Record<string, unknown> & {
      output: string;
      cursor: number;
    };
  const command = (...args: string[]): string => commandWith('', ...args);
  const commandWith = (input: string, ...args: string[]): string =>
    execFileSync(process.execPath, [daemonEntry, 'processes', ...args], {
      input,
      env: { ...process.env, HOME: daemon.home, NO_COLOR: '1' },
      encoding: 'utf8',
    });

  it('SU-52, SU-54, SH-84, SH-91 of an MCP client goes on without the link, and is watched and stopped by the person', async () => {
    const offered = await mcp('Desk', 'tools/list', {});
    for (const tool of ['start', 'read', 'write', 'stop', 'list'])
      expect(offered).toContain(`"process_${tool}"`);
    const started = JSON.parse(
      await call('Desk', 'process_start', { command: watcher, waitFor: ['tick 2'] }),
    );
    expect(started).toMatchObject({
      state: 'running',
      found: 'tick 2',
      output: expect.stringMatching(/^tick 1\n/),
    });
    const id = String(started.process);
    expect(await call('Other', 'process_read', { process: id })).toContain('no process with this id');

    await server.end('SIGKILL');
    await server.restart();
    await until(async () => (await ann.api.gateway.status.query()).state === 'online');
    const after = await read(id, { cursor: 0, maxChars: 100_000, waitFor: ['tick 9'], waitMs: 20_000 });
    const lines = after.output.trim().split('\n');
    expect(lines).toEqual(lines.map((_, at) => `tick ${at + 1}`));

    expect(command()).toMatch(new RegExp(`^${id} .*running {2}Desk`, 'm'));
    const printed = command('show', id);
    expect(printed).toMatch(/^tick 1$/m);
    expect(printed).not.toMatch(/[\x1b\x07\x9b]/);
    await page.goto(`${server.url}/machines/${(await ann.api.machines.list.query())[0]?.id}`);
    const row = page.locator('[data-test=process]');
    await row.getByRole('button', { name: 'Show the output' }).click();
    const shown = page.locator('[data-test=output]');
    await shown.filter({ hasText: /tick \d+/ }).waitFor();
    const seen = await shown.innerText();
    expect(seen).not.toMatch(/52;c|title/);
    await until(async () => (await shown.innerText()) !== seen);
    expect(await widthFaults(page)).toEqual([]);
    await page.setViewportSize({ width: 1_280, height: 800 });
    await row.getByRole('button', { name: /^Stop / }).click();
    await row.filter({ hasText: 'Stopped by you' }).waitFor();
    expect(await read(id)).toMatchObject({ state: 'ended', ended: 'user' });
    expect(command()).toContain('ended (');
  });

  it('SU-45 has a port that the person opens, in the panel and by the command line', async () => {
    const serve = `${process.execPath} -e "require('http').createServer((_, a) => a.end('served')).listen(5173, () => console.log('up'))"`;
    const started = JSON.parse(
      await call('Desk', 'process_start', { command: serve, ports: [5173], waitFor: ['up'], waitMs: 20_000 }),
    );
    const id = String(started.process);
    expect(command()).toContain('ports 5173');
    const url = command('open', id, '5173').trim();
    expect(url).toMatch(new RegExp(`^http://${id}\\.localhost:\\d+$`));
    expect(() => command('open', id, '5174')).toThrow('No process with this id runs');
    await page.goto(`${server.url}/machines/${(await ann.api.machines.list.query())[0]?.id}`);
    await page.getByRole('button', { name: /^Open port 5173/ }).click();
    const link = page.locator('[data-test=opened] a');
    expect(await link.getAttribute('href')).toBe(url);
    expect(await widthFaults(page)).toEqual([]);
    await page.setViewportSize({ width: 1_280, height: 800 });
    const [opened] = await Promise.all([page.waitForEvent('popup'), link.click()]);
    await opened.getByText('served').waitFor();
    await opened.close();
    await call('Desk', 'process_stop', { process: id });
    await expect(fetch(url.replace(`${id}.localhost`, '127.0.0.1'))).rejects.toThrow('fetch failed');
  });

  it('is stopped by the command line, and all end with the daemon', async () => {
    const start = async () =>
      String(JSON.parse(await call('Desk', 'process_start', { command: watcher, waitMs: 0 })).process);
    const [one, two] = [await start(), await start()];
    expect(command('stop', one)).toContain('sleep 0.1');
    expect(await read(one)).toMatchObject({ ended: 'user' });
    expect(() => commandWith('late\n', 'type', one)).toThrow('This process has ended');
    expect(await read(two)).toMatchObject({ state: 'running' });
    const asks = `printf 'Password: '; read -r x; [ "\${#x}" = 6 ] && echo right; sleep 1000`;
    const prompt = { command: asks, waitFor: ['Password: '], waitMs: 20_000 };
    const three = String(JSON.parse(await call('Desk', 'process_start', prompt)).process);
    expect(commandWith('secret\n', 'type', three)).toContain(`typed into ${three}`);
    expect(await read(three, { cursor: 0, waitFor: ['right'], waitMs: 20_000 })).toMatchObject({
      output: 'Password: right\n',
    });
    const own = readdirSync(join(daemon.home, '.drawbridge'), { recursive: true, withFileTypes: true });
    const files = own.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name));
    expect(files.filter((path) => readFileSync(path, 'latin1').includes('secret'))).toEqual([]);
    await daemon.process.end('SIGTERM');
    expect(() => command()).toThrow('not running');
  });
});
