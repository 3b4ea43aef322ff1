import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import {
  createProcesses,
  openPage,
  startOwnBrowser,
  startMachine,
  type Daemon,
  type Person,
  type Server,
} from './harness/index.ts';
import { describeWith } from './services.ts';

/** What a client reads from its configuration. */
const configuration = z.object({
  mcpServers: z.object({
    drawbridge: z.object({
      type: z.literal('http'),
      url: z.string(),
      headers: z.record(z.string(), z.string()),
    }),
  }),
});
const shell = async (line: string): Promise<unknown> => {
  const { stdout } = await promisify(execFile)('sh', ['-c', line]);
  return JSON.parse(stdout);
};

describeWith('chromium', 'curl')('Connect an agent, in a browser', () => {
  const processes = createProcesses();
  let server: Server;
  let ann: Person;
  let daemon: Daemon;
  let browser: Browser;
  let page: Page;
  /** What the page complained of: errors of its scripts and refusals of its content policy. */
  const complaints: string[] = [];

  beforeAll(async () => {
    ({ server, ann, daemon } = await startMachine(processes));
    writeFileSync(join(daemon.root, 'notes.txt'), 'a line that was there');
    browser = await startOwnBrowser();
    page = await openPage(browser, { person: ann, permissions: ['clipboard-read', 'clipboard-write'] });
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => {
      if (/Content Security Policy|Refused to/.test(message.text())) complaints.push(message.text());
    });
    await page.goto(`${server.url}/agents/new`);
  });

  afterAll(async () => {
    await browser?.close();
    await processes.stopAll();
  });

  const pick = (label: string) => page.getByText(label, { exact: true }).click();
  /** What the copy button of a step gives. */
  const copied = async (at = 0) => {
    const step = page.locator('[data-test=recipe-step]').nth(at);
    await step.getByRole('button', { name: 'Copy' }).click();
    await step.getByRole('button', { name: 'Copied' }).waitFor();
    const text = await page.evaluate(() => navigator.clipboard.readText());
    expect(await step.locator('[data-test=lines]').textContent()).toBe(text);
    return text;
  };
  const outcomes = async () => {
    await page.getByRole('button', { name: 'Test', exact: true }).click();
    // The button is still while the test runs.
    await page.locator('[data-test=trial]').waitFor();
    await page.locator('[data-outcome=running]').waitFor({ state: 'detached' });
    const steps = page.locator('[data-test=trial] [data-step]');
    return steps.evaluateAll((all) => all.map((one) => [one.dataset.step, one.dataset.outcome]));
  };

  it('shows a placeholder until there is a token, and tests nothing', async () => {
    await pick('curl');
    expect(await copied()).toBe(`curl -H "Authorization: Bearer YOUR_TOKEN" ${server.url}/api/v1/tools`);
    expect(await page.getByRole('button', { name: 'Test', exact: true }).isDisabled()).toBe(true);
  });

  it('makes a token that reads, and puts it in the lines, which run as they are pasted', async () => {
    await page.getByRole('button', { name: 'Create token' }).click();
    await page.locator('[data-test=token-made]').waitFor();
    expect(await ann.api.tokens.list.query()).toMatchObject([{ name: 'curl', scopes: ['filesystemRead'] }]);
    const listed = z
      .object({ tools: z.array(z.object({ name: z.string() })) })
      .parse(await shell(await copied()));
    expect(listed.tools.map(({ name }) => name)).toEqual([
      'read_file',
      'export_file',
      'list_files',
      'get_file_tree',
      'search_files',
    ]);
    expect(await shell(await copied(1))).toMatchObject({
      tool: 'list_files',
      state: 'succeeded',
      via: { kind: 'token', name: 'curl' },
      result: { content: [{ type: 'text', text: expect.stringContaining('notes.txt') }] },
    });
  });

  it('gives JSON that a client connects with', async () => {
    await pick('Other client');
    const { drawbridge } = configuration.parse(JSON.parse(await copied())).mcpServers;
    const client = new Client({ name: 'e2e', version: '1' });
    const transport = new StreamableHTTPClientTransport(new URL(drawbridge.url), {
      requestInit: { headers: drawbridge.headers },
    });
    await client.connect(transport);
    const result = await client.callTool({ name: 'read_file', arguments: { filePath: 'notes.txt' } });
    expect(JSON.stringify(result.content)).toContain('a line that was there');
    await client.close();
  });

  it('goes the whole way and shows each step', async () => {
    expect(await outcomes()).toEqual([
      ['reached', 'passed'],
      ['signed-in', 'passed'],
      ['machine', 'passed'],
      ['tools', 'passed'],
      ['read', 'passed'],
    ]);
    const { calls } = await ann.api.calls.list.query({ limit: 1 });
    expect(calls).toMatchObject([{ tool: 'list_files', door: 'mcp', via: { name: 'curl' } }]);
  });

  it('says what to do when the machine is away', async () => {
    await ann.api.gateway.disconnect.mutate();
    expect((await outcomes()).slice(0, 4)).toEqual([
      ['reached', 'passed'],
      ['signed-in', 'passed'],
      ['machine', 'failed'],
      ['tools', 'open'],
    ]);
    await page.locator('[data-step=machine]').getByText('Run drawbridge connect on the machine').waitFor();
  });

  it('says what to do when the token was revoked', async () => {
    const [token] = await ann.api.tokens.list.query();
    await ann.api.tokens.revoke.mutate({ id: token?.id ?? '' });
    expect((await outcomes()).slice(0, 3)).toEqual([
      ['reached', 'passed'],
      ['signed-in', 'failed'],
      ['machine', 'open'],
    ]);
    await page.locator('[data-step=signed-in]').getByText('Create a new token').waitFor();
  });

  it('forgets the token when the person leaves the page', async () => {
    await page.getByRole('link', { name: 'Activity' }).first().click();
    await page.waitForURL(`${server.url}/activity`);
    await page.getByRole('link', { name: 'Agents' }).first().click();
    await page.waitForURL(`${server.url}/agents`);
    await page.getByRole('link', { name: 'Connect an agent' }).first().click();
    await page.waitForURL(`${server.url}/agents/new`);
    await pick('curl');
    expect(await copied()).toContain('YOUR_TOKEN');
    expect(await page.content()).not.toContain('dbt_');
  });

  it('can be picked and read by keyboard, on a phone too', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole('radio', { name: 'Claude Code' }).focus();
    await page.keyboard.press('ArrowDown');
    await page.getByText('claude_desktop_config.json: Settings, Developer, Edit Config').waitFor();
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(width).toBe(390);
    expect(complaints).toEqual([]);
  });
});
