import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  createProcesses,
  follow,
  newFolder,
  openPage,
  postMcp,
  startBrowser,
  startMachine,
  type Daemon,
  type Person,
  type Server,
} from './harness/index.ts';
import { describeWith } from './services.ts';

const revision = '2026-07-28';
const meta = {
  'io.modelcontextprotocol/protocolVersion': revision,
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** What every file below a folder holds, as bytes. */
const filesBelow = (folder: string): Buffer[] =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name)));

describeWith('chromium')('an access token, from the panel to the machine', () => {
  const processes = createProcesses();
  const dataDir = newFolder('token-data');
  let server: Server;
  let browser: Browser;
  let page: Page;
  let daemon: Daemon;
  let ann: Person;
  let token = '';

  beforeAll(async () => {
    ({ server, ann, daemon } = await startMachine(processes, {
      env: { DATA_DIR: dataDir, LOG_LEVEL: 'trace' },
    }));
    writeFileSync(join(daemon.root, 'notes.txt'), 'a line for the agent');
    browser = await startBrowser();
    page = await openPage(browser, { person: ann });
  });

  afterAll(async () => {
    await browser?.close();
    await processes.stopAll();
  });

  /** One message of an agent that has the token. */
  const ask = async (method: string, { name, ...params }: { name?: string; arguments?: object } = {}) => {
    const response = await postMcp(server.url, {
      token,
      headers: {
        'mcp-protocol-version': revision,
        'mcp-method': method,
        ...(name !== undefined && { 'mcp-name': name }),
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method,
        params: { ...(name !== undefined && { name }), ...params, _meta: meta },
      }),
    });
    return { status: response.status, text: await response.text() };
  };
  const read = () => ask('tools/call', { name: 'read_file', arguments: { filePath: 'notes.txt' } });

  it('is made in the panel, and shown once', async () => {
    await page.goto(`${server.url}/agents`);
    await page.getByText('No agents yet').waitFor();
    await page.getByRole('button', { name: 'New token' }).click();
    await page.locator('[name=token-name]').fill('Notes agent');
    await page.getByRole('button', { name: 'Create token' }).click();
    token = await page.locator('[data-test=token]').innerText();
    expect(token).toMatch(/^dbt_[\w-]{32}$/);
    await page.getByRole('button', { name: 'Done' }).click();
    await page.locator('[data-test=token-row]').getByText('Read files').waitFor();
    expect(await page.content()).not.toContain(token);
    await page.reload();
    await page.locator('[data-test=token-row]').getByText('Never used').waitFor();
    expect(await page.content()).not.toContain(token);
  });

  it('MC-12 reads through the agent, and lists nothing that writes', async () => {
    expect((await read()).text).toContain('a line for the agent');
    const { text } = await ask('tools/list');
    expect(text).toContain('"read_file"');
    expect(text).not.toContain('"write_file"');
    const [written, unknown] = [
      await ask('tools/call', { name: 'write_file', arguments: { filePath: 'x', content: 'x' } }),
      await ask('tools/call', { name: 'no_such_tool', arguments: {} }),
    ];
    expect(written.text).toBe(unknown.text.replace('no_such_tool', 'write_file'));
  });

  it('is named in Activity, and in the list with its last use', async () => {
    await follow(page, '/activity');
    await page.locator('[data-test=call]').first().getByText('Notes agent').waitFor();
    await follow(page, '/settings/tokens');
    await page.locator('[data-test=token-row]').getByText('just now').waitFor();
  });

  it('has a page with what it may use and its calls', async () => {
    await page
      .locator('[data-test=token-row]')
      .getByRole('link', { name: 'Notes agent', exact: true })
      .click();
    await page.getByRole('heading', { name: 'Notes agent' }).waitFor();
    expect(await page.locator('[data-test=agent-scopes] li').count()).toBe(1);
    await page.locator('[data-test=agent-scopes]').getByText('Read files', { exact: true }).waitFor();
    await page.locator('[data-test=agent-facts]').getByText('from 127.0.0.1').waitFor();
    const own = page.locator('[data-test=agent-calls]');
    await own.getByText('notes.txt').first().waitFor();
    const leftOf = async (part: Locator) => Math.round((await part.boundingBox())?.x ?? 0);
    const heading = page.getByRole('heading', { name: 'Calls', exact: true });
    expect(await leftOf(own.locator('[data-test=call] > *').nth(1))).toBe(await leftOf(heading));
    await page.getByRole('link', { name: 'All its calls' }).click();
    await page.waitForURL(/\/activity\?by=token:/);
    await page.locator('[data-test=call]').first().getByText('Notes agent').waitFor();
    await follow(page, '/agents');
  });

  it('is changed on its page: more needs a second click, less holds at once', async () => {
    await page.locator('[data-test=token-row]').getByRole('link', { name: 'Notes agent' }).first().click();
    const edit = page.locator('[data-test=edit-token]');
    const tick = async () => {
      await page.locator('[data-test=edit]').click();
      await edit.getByRole('checkbox', { name: 'Change files' }).click();
      await edit.getByRole('button', { name: 'Save' }).click();
    };
    await tick();
    await edit.getByText('It may use more than before: Change files.').waitFor();
    expect((await ask('tools/list')).text).not.toContain('"write_file"');
    await edit.getByRole('button', { name: 'Allow more' }).click();
    await edit.waitFor({ state: 'detached' });
    await page.locator('[data-test=agent-scopes]').getByText('Change files', { exact: true }).waitFor();
    expect((await ask('tools/list')).text).toContain('"write_file"');
    await tick();
    await edit.waitFor({ state: 'detached' });
    expect(await page.locator('[data-test=agent-scopes] li').count()).toBe(1);
    expect((await ask('tools/list')).text).not.toContain('"write_file"');
    await follow(page, '/agents');
  });

  it('MC-05 PK-08 stands in no file, no log, no record and no storage of the browser', async () => {
    await ask('no/such/method');
    for (const [place, bytes] of [
      ['server', filesBelow(dataDir)],
      ['daemon', [...filesBelow(daemon.home), ...filesBelow(daemon.root)]],
      ['logs', [Buffer.from(server.process().output()), Buffer.from(daemon.process.output())]],
    ] as const)
      expect([place, bytes.filter((one) => one.includes(token)).length]).toEqual([place, 0]);
    const kept = await page.evaluate<string>(
      'JSON.stringify([location.href, document.cookie, { ...localStorage }, { ...sessionStorage }])',
    );
    expect(kept).not.toContain(token);
  });

  it('MC-04 is cut off when it is revoked, with what is open', async () => {
    const stream = await fetch(`${server.url}/mcp`, {
      headers: { authorization: `Bearer ${token}`, accept: 'text/event-stream' },
    });
    expect(stream.status).toBe(200);
    const ended = stream.text().then(
      () => 'ended',
      () => 'cut',
    );
    await page.getByRole('button', { name: 'Revoke Notes agent' }).click();
    await page.getByText('This cannot be undone').waitFor();
    expect((await read()).status).toBe(200);
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('No agents yet').waitFor();
    expect(['ended', 'cut']).toContain(await ended);
    expect((await read()).status).toBe(401);
  });

  it('PK-11 is cut off by a changed password', async () => {
    ({ token } = await ann.api.tokens.create.mutate({ name: 'Another' }));
    expect((await read()).status).toBe(200);
    const changed = await ann.fetch('/api/auth/change-password', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ currentPassword: 'a long password', newPassword: 'another long password' }),
    });
    expect(changed.status).toBe(200);
    expect((await read()).status).toBe(401);
  });
});
