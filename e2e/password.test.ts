import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  createProcesses,
  openPage,
  owner,
  startBrowser,
  startMachine,
  type Daemon,
  type Person,
  type Server,
} from './harness/index.ts';
import { describeWith } from './services.ts';

const second = 'the second long password';
const third = 'the third long password';

describeWith('chromium')('a password that is changed in the panel', () => {
  const processes = createProcesses();
  let server: Server;
  let browser: Browser;
  let page: Page;
  let other: Page;
  let daemon: Daemon;
  let ann: Person;
  let token = '';

  beforeAll(async () => {
    ({ server, ann, daemon } = await startMachine(processes));
    ({ token } = await ann.api.tokens.create.mutate({ name: 'Desk' }));
    browser = await startBrowser();
    page = await openPage(browser, { person: ann });
    await page.goto(`${server.url}/settings`);
    other = await openPage(browser);
    await signIn(other, owner.password);
    await other.getByText('Online').first().waitFor();
  });

  afterAll(async () => {
    await browser?.close();
    await processes.stopAll();
  });

  const signIn = async (at: Page, password: string) => {
    await at.goto(`${server.url}/sign-in`);
    await at.getByLabel('E-mail').fill(owner.email);
    await at.getByLabel('Password').fill(password);
    await at.getByRole('button', { name: 'Sign in' }).click();
  };
  const dialog = () => page.getByRole('dialog');
  const fill = async (current: string, next: string, again = next) => {
    await dialog().getByLabel('Current password').fill(current);
    await dialog().getByLabel('New password', { exact: true }).fill(next);
    await dialog().getByLabel('New password again').fill(again);
  };
  const send = () => dialog().getByRole('button', { name: 'Change password' }).click();
  const status = async (bearer: string) =>
    (await fetch(`${server.url}/api/v1/status`, { headers: { authorization: `Bearer ${bearer}` } })).status;

  it('is not, while something is wrong with it; the field says what', async () => {
    await page.getByRole('button', { name: 'Change password' }).click();
    await fill(owner.password, second, third);
    await send();
    await dialog().getByText('The passwords do not match').waitFor();
    await fill('a wrong password', second);
    await send();
    await dialog().getByText('Wrong current password').waitFor();
    expect(await dialog().getByLabel('Current password').getAttribute('aria-invalid')).toBe('true');
  });

  it('leaves all else as it is where that is asked for', async () => {
    await fill(owner.password, second);
    await dialog().getByRole('checkbox', { name: 'Sign out everywhere else' }).click();
    await send();
    await page.getByText('Password changed.').waitFor();
    expect(await status(token)).toBe(200);
    expect(await ann.api.gateway.status.query()).toMatchObject({ state: 'online' });
    await other.reload();
    await other.getByText('Online').first().waitFor();
  });

  it('PK-11 US-07 signs out everything else, and the page keeps working', async () => {
    await page.getByRole('button', { name: 'Change password' }).click();
    await fill(second, third);
    await send();
    await page.getByText('Everything else is signed out').waitFor();
    expect(await daemon.process.exit).toEqual({ code: 0, signal: null });
    await other.getByRole('button', { name: 'Sign in' }).waitFor();
    expect(await status(token)).toBe(401);
    // It receives events again, with its new session.
    await page.getByText('Offline').first().waitFor();
    expect(new URL(page.url()).pathname).toBe('/settings/account');
    await page.reload();
    await page.getByRole('heading', { name: 'Settings' }).waitFor();
  });

  it('is the one to sign in with', async () => {
    await signIn(other, second);
    await other.getByText('Wrong e-mail or password').waitFor();
    await signIn(other, third);
    await other.getByText('Offline').first().waitFor();
  });
});
