import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Locator } from 'playwright-core';
import { afterAll, expect, it } from 'vitest';
import {
  createProcesses,
  newFolder,
  openPage,
  owner,
  startBrowser,
  startServer,
  until,
} from './harness/index.ts';
import { describeWith } from './services.ts';

const processes = createProcesses();
/** Empty for the first of them: from the registry each package comes once. */
const npm = newFolder('npm');
let browser: Browser | undefined;
afterAll(async () => {
  await browser?.close();
  await processes.stopAll();
});

const writing = (token: string, url: string): string => {
  const params = { name: 'write_file', arguments: { filePath: 'hello.txt', content: 'hello\n' } };
  const headers = [
    `Authorization: Bearer ${token}`,
    'Content-Type: application/json',
    'Accept: application/json, text/event-stream',
  ];
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  return `curl -s ${headers.map((header) => `-H '${header}'`).join(' ')} -d '${body}' ${url}/mcp`;
};

/** From an empty server to a connected machine: two commands and two clicks. */
const connectMachine = async () => {
  const counted = { commands: 0, clicks: 0 };
  const click = async (what: Locator) => {
    await what.click();
    counted.clicks += 1;
  };
  const paste = (line: string, options: { cwd?: string; env?: Record<string, string> } = {}) => {
    counted.commands += 1;
    return processes.start({ command: 'sh', args: ['-c', line], ...options });
  };

  const server = await startServer(processes, { SETUP_TOKEN: '' });
  counted.commands += 1;
  browser ??= await startBrowser();
  const page = await openPage(browser);
  const button = (name: string | RegExp) => page.getByRole('button', { name }).first();
  const link = (name: string | RegExp) => page.getByRole('link', { name }).first();
  const [, address = ''] = await server.process().says(/(http:\S+\/setup#\S+)/);
  await page.goto(address);
  for (const name of ['name', 'email', 'password'] as const)
    await page.locator(`[name=${name}]`).fill(owner[name]);
  await click(button('Create account'));

  const command = await page.locator('[data-test=command]').innerText();
  await click(button('Copy command'));
  const [root, home] = [newFolder('first'), newFolder('home')];
  const env = { HOME: home, npm_config_cache: npm, DRAWBRIDGE_NON_INTERACTIVE: '1' };
  paste(command, { cwd: root, env });
  await page.locator('[data-test=connected]').waitFor();
  const allow = page.locator('[data-decision=allowOnce]:enabled').first();
  return { server, page, root, counted, click, paste, button, link, allow };
};

describeWith(
  'registry',
  'chromium',
  'curl',
)('the first time', () => {
  it('takes two commands and seven clicks until a tool in the panel has written a file', async () => {
    const { page, root, counted, click, button, link, allow } = await connectMachine();
    await click(link('Open the machine'));
    await click(link(/tools$/));
    await click(link(/write_file/));
    await page.locator('[name=filePath]').fill('hello.txt');
    await page.locator('[name=content]').fill('hello\n');
    await click(button('Run'));
    await click(allow);

    await until(async () => existsSync(join(root, 'hello.txt')));
    expect(counted).toEqual({ commands: 2, clicks: 7 });
  });

  it('takes three commands and eight clicks until curl has written a file through /mcp', async () => {
    const { server, page, root, counted, click, paste, button, link, allow } = await connectMachine();
    await click(link('Connect an agent'));
    await click(page.getByText('curl', { exact: true }));
    await click(page.getByRole('checkbox', { name: /^Change files/ }));
    await click(button('Create token'));
    await page.locator('[data-test=token-made]').waitFor();
    const lines = await page.locator('[data-test=lines]').first().innerText();
    await click(button(/^Copy/));
    const [token = ''] = /dbt_[\w-]+/.exec(lines) ?? [];
    const curl = paste(writing(token, server.url));
    await click(allow);

    await until(async () => existsSync(join(root, 'hello.txt')));
    await curl.exit;
    expect(curl.output()).toContain('hello.txt');
    expect(counted).toEqual({ commands: 3, clicks: 8 });
  });
});
