import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  createProcesses,
  ended,
  follow,
  newFolder,
  openPage,
  owner,
  run,
  startBrowser,
  startDaemon,
  startServer,
  until,
  type Daemon,
  type Person,
  type Server,
} from './harness/index.ts';
import { loadOf } from './first-load.ts';
import { describeWith } from './services.ts';

describeWith('chromium')('the panel in a browser', () => {
  const processes = createProcesses();
  let server: Server;
  let browser: Browser;
  let page: Page;
  let daemon: Daemon;
  let ann: Person;
  /** What the page complained of: errors of its scripts and refusals of its content policy. */
  const complaints: string[] = [];

  beforeAll(async () => {
    server = await startServer(processes, { SETUP_TOKEN: '' });
    browser = await startBrowser();
    page = await openPage(browser);
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => {
      if (/Content Security Policy|Refused to/.test(message.text())) complaints.push(message.text());
    });
  });

  afterAll(async () => {
    await browser?.close();
    await processes.stopAll();
  });

  /** Waits until it is within the window, below which a click would seem to do nothing. */
  const inView = (selector: string) =>
    expect
      .poll(() =>
        page.locator(selector).evaluate((element) => {
          const { top, bottom } = element.getBoundingClientRect();
          return top >= 0 && bottom <= innerHeight;
        }),
      )
      .toBe(true);
  const decide = async (decision: string) => {
    await page.locator('[data-test=confirmation]').waitFor();
    await inView('[data-test=more]');
    // What lasts stands in the menu alone.
    if (!decision.endsWith('Once')) {
      await page.locator('[data-test=more]').click();
      await inView('[data-test=lasting]');
    }
    // Clicks once the button has woken.
    await page.locator(`[data-decision=${decision}]`).first().click();
    await page.locator('[data-test=confirmation]').waitFor({ state: 'detached' });
  };

  const writeFrom = async (filePath: string, content: string) => {
    await follow(page, '/tools?tool=write_file');
    await page.locator('[name=filePath]').fill(filePath);
    await page.locator('[name=content]').fill(content);
    await page.getByRole('button', { name: 'Run' }).click();
  };

  it('makes the owner with the link of the console', async () => {
    const [, link = ''] = await server.process().says(/(http:\S+\/setup#\S+)/);
    await page.goto(link);
    await page.locator('[name=name]').fill(owner.name);
    await page.locator('[name=email]').fill(owner.email);
    await page.locator('[name=password]').fill(owner.password);
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByRole('heading', { name: 'Connect a machine' }).waitFor();
    ann = server.visitor();
    await ann.signIn(owner);
  });

  it('shows a command that connects a machine, and then the machine', async () => {
    const command = await page.locator('[data-test=command]').innerText();
    const token = command.trim().split(/\s+/).at(-1) ?? '';
    daemon = startDaemon(processes, { url: server.url, token, root: newFolder('panel') });
    await page.locator('[data-test=connected]').waitFor();
    await page.getByRole('link', { name: 'Open the machine' }).click();
    await page.locator('main').getByText(daemon.root).waitFor();
  });

  it('runs a tool and shows its result', async () => {
    writeFileSync(join(daemon.root, 'notes.txt'), 'a line that was there');
    await page.goto(`${server.url}/tools`);
    await page.waitForURL(/\/machines\/[^/]+\/tools$/);
    await page.getByRole('link', { name: /read_file/ }).click();
    await page.locator('[name=filePath]').fill('notes.txt');
    await page.getByRole('button', { name: 'Run' }).click();
    await page.locator('[data-test=result]').getByText('a line that was there').waitFor();
  });

  it.each([
    ['allowOnce', true],
    ['denyOnce', false],
    ['allowForSession', true],
    ['alwaysAllow', true],
    ['alwaysDeny', false],
  ])('asks before a write; %s', async (decision, written) => {
    const filePath = `${decision}.txt`;
    await writeFrom(filePath, `written after ${decision}`);
    await decide(decision);
    const path = join(daemon.root, filePath);
    if (written) {
      await until(async () => existsSync(path));
      expect(readFileSync(path, 'utf8')).toBe(`written after ${decision}`);
    } else {
      const { calls } = await ann.api.calls.list.query({ limit: 1 });
      expect(await ended(ann, calls[0]?.requestId ?? '')).toMatchObject({
        tool: 'write_file',
        state: 'denied',
        decision,
      });
      expect(existsSync(path)).toBe(false);
    }
  });

  it('keeps its buttons asleep for a moment after a question appears', async () => {
    await follow(page, '/');
    await page.getByText('Nothing waits for you').waitFor();
    // In the page, so that the click comes with the button however slow this machine is.
    await page.evaluate(() => {
      const observer = new MutationObserver(() => {
        const button = document.querySelector<HTMLButtonElement>('[data-decision=denyOnce]');
        if (!button) return;
        observer.disconnect();
        button.click();
        button.dataset['clickedEarly'] = 'true';
      });
      observer.observe(document.body, { childList: true, subtree: true });
    });
    const call = await run(ann, 'write_file', { filePath: 'asleep.txt', content: 'x' });
    expect(call.state).toBe('awaiting-confirmation');
    await page.locator('[data-clicked-early]:enabled').waitFor();
    expect((await ann.api.confirmations.list.query()).map(({ requestId }) => requestId)).toEqual([
      call.requestId,
    ]);
    await decide('denyOnce');
    // It is sent when it can no longer be undone.
    await until(async () => (await ann.api.confirmations.list.query()).length === 0);
  });

  it('shows a question on every page in the strip, with its count in the title', async () => {
    await follow(page, '/settings');
    await run(ann, 'write_file', { filePath: 'anywhere.txt', content: 'x' });
    await page.locator('[data-test=strip]').getByText('Create anywhere.txt?').waitFor();
    expect(await page.title()).toMatch(/1/);
    await page.locator('[data-test=strip]').click();
    await decide('denyOnce');
    await until(async () => !/1/.test(await page.title()));
  });

  it('reconnects after the server was down, with the open question', async () => {
    await follow(page, '/');
    await run(ann, 'write_file', { filePath: 'after.txt', content: 'after the restart' });
    await page.locator('[data-test=confirmation]').waitFor();
    await server.end('SIGKILL');
    await server.restart();
    await until(async () => (await ann.api.gateway.status.query()).state === 'online');
    await decide('allowOnce');
    await until(async () => existsSync(join(daemon.root, 'after.txt')));
  });

  it('lists what happened', async () => {
    await follow(page, '/activity');
    const { calls } = await ann.api.calls.list.query({});
    await page.locator('[data-test=total]').getByText(`${calls.length} calls`).waitFor();
    const words = await page.locator('[data-test=call]').first().innerText();
    expect(words).toContain(calls[0]?.subject);
  });

  it('disconnects', async () => {
    await follow(page, '/machines');
    await page.locator('[data-test=machine-row]').getByRole('link').click();
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Disconnect' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click();
    expect(await daemon.process.exit).toEqual({ code: 0, signal: null });
    await page.getByText('Its pairing has ended').waitFor();
  });

  it('shows nothing to a stranger but the way in', async () => {
    const stranger = await openPage(browser);
    await stranger.goto(`${server.url}/activity`);
    await stranger.getByRole('button', { name: 'Sign in' }).waitFor();
    expect(stranger.url()).toContain('/sign-in');
  });

  it('shows its shell before its styles, in the colours that were chosen, and keeps it until the first page is there', async () => {
    // Dark was chosen, where the system is light.
    const fresh = await openPage(browser, { person: ann, colorScheme: 'light' });
    await fresh.addInitScript(`localStorage.setItem('drawbridge-appearance', 'dark')`);
    const [files, answers] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await fresh.route('**/assets/**', (route) => files.promise.then(() => route.continue()));
    await fresh.route('**/trpc/**', (route) => answers.promise.then(() => route.continue()));
    await fresh.goto(`${server.url}/inbox`, { waitUntil: 'commit' });
    const paints = `performance.getEntriesByName('first-contentful-paint').length`;
    await until(async () => (await fresh.evaluate<number>(paints)) === 1);
    const shell = fresh.locator('#shell');
    const colours = `getComputedStyle(document.querySelector('#shell')).backgroundColor`;
    expect(await fresh.evaluate<string>(colours)).toBe('rgb(15, 14, 13)');
    const asked = fresh.waitForRequest('**/trpc/**');
    files.resolve();
    await asked;
    expect(await shell.count()).toBe(1);
    answers.resolve();
    await fresh.getByText('Nothing waits for you').waitFor();
    expect(await shell.count()).toBe(0);
    await fresh.context().close();
  });

  it('loads its first pages in at most 20 files and 160 kB of script', async () => {
    const signingIn = await loadOf(await openPage(browser), `${server.url}/sign-in`);
    const inbox = await loadOf(await openPage(browser, { person: ann }), `${server.url}/inbox`);
    for (const { files, script } of [signingIn, inbox]) {
      expect(script).toBeGreaterThan(50);
      expect(script).toBeLessThanOrEqual(160);
      expect(files).toBeLessThanOrEqual(20);
    }
  });

  it('LG-11 keeps no key in its address or in the storage of the browser', async () => {
    const [address, cookies, kept] = await page.evaluate<string[]>(
      '[location.href, document.cookie, JSON.stringify([{ ...localStorage }, { ...sessionStorage }])]',
    );
    const { id } = (await ann.api.machines.list.query())[0] ?? {};
    expect([address, cookies]).toEqual([`${server.url}/machines/${id}`, '']);
    expect(kept).toMatch(/\/tools\?tool=write_file/);
    expect(kept).not.toMatch(/(gw|sess|setup|invite)_|token/i);
    expect(kept).not.toContain(owner.password);
  });

  it('ran without a script error and within its content policy', () => {
    expect(complaints).toEqual([]);
  });
});
