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

describeWith(
  'registry',
  'chromium',
  'curl',
)('the first time', () => {
  it('takes three commands and ten clicks until curl has written a file through /mcp', async () => {
    let [commands, clicks] = [0, 0];
    const click = async (what: Locator) => {
      await what.click();
      clicks += 1;
    };
    const paste = (line: string, options: { cwd?: string; env?: Record<string, string> } = {}) => {
      commands += 1;
      return processes.start({ command: 'sh', args: ['-c', line], ...options });
    };

    const server = await startServer(processes, { SETUP_TOKEN: '' });
    commands += 1;
    browser = await startBrowser();
    const page = await openPage(browser);
    const button = (name: string | RegExp) => page.getByRole('button', { name }).first();
    const [, link = ''] = await server.process().says(/(http:\S+\/setup#\S+)/);
    await page.goto(link);
    for (const name of ['name', 'email', 'password'] as const)
      await page.locator(`[name=${name}]`).fill(owner[name]);
    await click(button('Create account'));

    await click(page.getByRole('link', { name: /Connect a machine/ }));
    const command = await page.locator('[data-test=command]').innerText();
    await click(button('Copy command'));
    const [root, home, npm] = [newFolder('first'), newFolder('home'), newFolder('npm')];
    const env = { HOME: home, npm_config_cache: npm, DRAWBRIDGE_NON_INTERACTIVE: '1' };
    paste(command, { cwd: root, env });
    await click(page.locator('[data-test=connected]').getByRole('link', { name: 'Connect an agent' }));

    await click(page.getByText('curl', { exact: true }));
    await click(page.getByRole('checkbox', { name: /^Change files/ }));
    await click(button('Create token'));
    await page.locator('[data-test=token-made]').waitFor();
    const lines = await page.locator('[data-test=lines]').first().innerText();
    await click(button(/^Copy/));
    const [token = ''] = /dbt_[\w-]+/.exec(lines) ?? [];
    const curl = paste(writing(token, server.url));
    await click(page.locator('[data-test=strip]'));
    await click(page.locator('[data-decision=allowOnce]:enabled').first());

    await until(async () => existsSync(join(root, 'hello.txt')));
    await curl.exit;
    expect(curl.output()).toContain('hello.txt');
    expect([commands, clicks]).toEqual([3, 10]);
  });
});
