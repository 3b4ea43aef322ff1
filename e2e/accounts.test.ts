import { execFileSync } from 'node:child_process';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  createProcesses,
  openPage,
  owner,
  startBrowser,
  startServer,
  type Person,
  type Server,
} from './harness/index.ts';
import { compiledEnvironment } from './harness/account-home.ts';
import { newFolder, serverEntry } from './harness/paths.ts';
import { describeWith } from './services.ts';

describeWith('chromium')('an owner who manages accounts', () => {
  const processes = createProcesses();
  const dataDir = newFolder('data');
  let server: Server;
  let browser: Browser;
  let ann: Person;
  let ben: Person;
  let page: Page;

  const command = (...args: string[]) =>
    execFileSync(process.execPath, [serverEntry, ...args], {
      env: { DATA_DIR: dataDir, ...compiledEnvironment() },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });

  beforeAll(async () => {
    server = await startServer(processes, { DATA_DIR: dataDir });
    ann = await server.createOwner();
    ben = await server.invite(ann);
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await processes.stopAll();
  });

  it('shows the reset command on the sign-in page, and its link sets a new password', async () => {
    page = await openPage(browser, { person: ann });
    const stranger = await openPage(browser);
    await stranger.goto(`${server.url}/sign-in`);
    await stranger.getByLabel('E-mail').fill(owner.email);
    await stranger.getByRole('button', { name: 'Forgot password?' }).click();
    const shown = await stranger.getByText('user reset-password').textContent();
    expect(shown).toBe(`npx --yes pnpm@10 --silent drawbridge-server user reset-password ${owner.email}`);
    const words = shown?.split('drawbridge-server ')[1]?.split(' ') ?? [];
    const link = command(...words).trim();
    // Also where another account, or this one, is signed in.
    await page.goto(link);
    await page.getByLabel('New password').fill('a new long password');
    await page.getByRole('button', { name: 'Set password' }).click();
    await page.waitForURL(`${server.url}/inbox`);
    await ann.signIn({ ...owner, password: 'a new long password' });
    const sessions = await ann.api.account.sessions.query();
    expect(sessions.map(({ userAgent }) => userAgent ?? '').join()).toMatch(/Chrome\/\d/);
    await stranger.goto(link);
    await stranger.getByLabel('New password').fill('yet another password');
    await stranger.getByRole('button', { name: 'Set password' }).click();
    await stranger.getByText('This link is not valid any more').waitFor();
  });

  it('disables, enables and removes an account, and says what is lost', async () => {
    await page.goto(`${server.url}/settings/people`);
    await page.getByRole('button', { name: 'Disable ben@example.org' }).click();
    await page.getByRole('dialog').getByText('its machines are disconnected').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Disable account' }).click();
    await page.getByText('Disabled', { exact: true }).waitFor();
    expect(await ben.api.account.me.query()).toBeNull();
    await page.getByRole('button', { name: 'Enable ben@example.org' }).click();
    await page.getByRole('button', { name: 'Disable ben@example.org' }).waitFor();
    await page.getByRole('button', { name: 'Remove ben@example.org' }).click();
    await page.getByRole('dialog').getByText('This cannot be undone').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove account' }).click();
    await page.getByRole('button', { name: 'Remove ben@example.org' }).waitFor({ state: 'detached' });
    expect(command('user', 'list')).toBe(`${owner.email}  owner  "${owner.name}"\n`);
  });
});
