import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  answer,
  createProcesses,
  openPage,
  questionOf,
  run,
  startBrowser,
  startMachine,
  type Daemon,
  type Person,
  type Server,
} from './harness/index.ts';
import { describeWith } from './services.ts';

describeWith('chromium')('details of the panel', () => {
  const processes = createProcesses();
  let server: Server;
  let ann: Person;
  let daemon: Daemon;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    ({ server, ann, daemon } = await startMachine(processes));
    browser = await startBrowser();
    page = await openPage(browser, { person: ann });
  });

  afterAll(async () => {
    await browser?.close();
    await processes.stopAll();
  });

  const drawer = () => page.getByRole('dialog');
  const closeDrawer = async () => {
    await drawer().getByRole('button', { name: 'Close' }).click();
    await drawer().waitFor({ state: 'detached' });
  };

  it('loads its files compressed', async () => {
    const encodings: (string | undefined)[] = [];
    page.on('response', (response) => {
      if (/\/assets\/index-/.test(response.url())) encodings.push(response.headers()['content-encoding']);
    });
    await page.goto(server.url);
    await page.getByText('Online').first().waitFor();
    expect([...new Set(encodings)]).toEqual(['br']);
  });

  it('Back leaves a call that was closed, however many were opened', async () => {
    writeFileSync(join(daemon.root, 'a.txt'), 'a\n');
    await run(ann, 'read_file', { filePath: 'a.txt' });
    await run(ann, 'list_files', { dirPath: '.' });
    await page.goto(`${server.url}/settings`);
    await page.getByRole('link', { name: 'Activity' }).first().click();
    const rows = page.locator('[data-test=call]');
    await rows.first().click();
    await page.waitForURL(/\/activity\/./);
    // The row under the open call, as a keyboard reaches it.
    await rows.nth(1).dispatchEvent('click');
    await drawer().getByText('read_file').waitFor();
    await closeDrawer();
    expect(page.url()).toBe(`${server.url}/activity`);
    await page.goBack();
    await page.waitForURL(`${server.url}/settings/account`);
    await page.goForward();
    await page.waitForURL(`${server.url}/activity`);
    await rows.first().click();
    await drawer().waitFor();
    await page.goBack();
    await drawer().waitFor({ state: 'detached' });
  });

  it('at 1,280 pixels a call and a question leave the navigation free', async () => {
    const { requestId } = await run(ann, 'write_file', { filePath: 'a.txt', content: 'b\n' });
    const strip = page.locator('[data-test=strip]');
    await strip.waitFor();
    await page.locator('[data-test=call]').first().click();
    await drawer().waitFor();
    await page
      .getByRole('navigation')
      .first()
      .getByRole('link', { name: 'Agents' })
      .click({ timeout: 20_000 });
    await page.waitForURL(`${server.url}/agents`);
    const [nav, open] = await Promise.all(
      [page.locator('aside').first(), strip].map((one) => one.boundingBox()),
    );
    expect((nav?.x ?? 0) + (nav?.width ?? 0)).toBeLessThanOrEqual(open?.x ?? 0);
    await answer(ann, requestId, { approved: false });
  });

  it('shows the keys of the question that is open, and takes them', async () => {
    const { requestId } = await run(ann, 'write_file', { filePath: 'a.txt', content: 'c\n' });
    const { id } = await questionOf(ann, requestId);
    await page.goto(`${server.url}/activity`);
    await page.locator('[data-test=nav-count]').first().click();
    await page.waitForURL(`${server.url}/inbox/${id}`);
    await page.getByRole('heading', { level: 1, name: 'Replace a.txt?' }).waitFor();
    await page.locator('[data-decision=allowOnce]:enabled').waitFor();
    const caps = page.locator('[data-test=confirmation] kbd:visible');
    expect(await caps.allTextContents()).toEqual(['a', 'd']);
    await page.keyboard.press('a');
    await page.getByText('This question is closed').waitFor();
    // The question closes with the answer, before the machine has run the call.
    await expect.poll(() => readFileSync(join(daemon.root, 'a.txt'), 'utf8')).toBe('c\n');
  });

  it('shows every line of a write that hides lines as patch headers', async () => {
    const headers = ['--- a/x', '+++ b/x', '@@ -1,2 +1,2 @@', '-removed', '+added', 'diff --git a/x b/x'];
    writeFileSync(join(daemon.root, 'a.txt'), 'first\n--- a/old\n+++ b/old\nlast\n');
    const content = ['first', ...headers, 'last', ''].join('\n');
    const { requestId } = await run(ann, 'write_file', { filePath: 'a.txt', content });
    const { id } = await questionOf(ann, requestId);
    await page.goto(`${server.url}/confirmations/${id}`);
    const linesOf = async (kind: string) => {
      const rows = page.locator(`[data-row=${kind}]`);
      await rows.first().waitFor();
      return rows.locator('> span:last-child > span:last-child').allTextContents();
    };
    expect(await linesOf('added')).toEqual(headers);
    expect(await linesOf('removed')).toEqual(['--- a/old', '+++ b/old']);
    expect(await linesOf('same')).toEqual(['first', 'last']);
    const counts = await page.locator('[data-test=confirmation] figcaption').innerText();
    expect(counts.replaceAll(/\s+/g, ' ')).toBe(`${join(daemon.root, 'a.txt')} +6−2`);
    await answer(ann, requestId, { approved: true, resourceDecision: 'allowOnce' });
    expect(readFileSync(join(daemon.root, 'a.txt'), 'utf8')).toBe(content);
  });
});
