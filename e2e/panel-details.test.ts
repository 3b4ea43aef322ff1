import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '@drawbridge/kit';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  answer,
  axeFaultsInThemes,
  createProcesses,
  follow,
  openPage,
  questionOf,
  run,
  showTheme,
  startBrowser,
  startMachine,
  until,
  widthFaults,
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
    ({ server, ann, daemon } = await startMachine(processes, { flags: ['--permission-shell', 'ask'] }));
    browser = await startBrowser();
    page = await openPage(browser, { person: ann });
  });

  afterAll(async () => {
    await browser?.close();
    await processes.stopAll();
  });

  const drawer = () => page.locator('[data-test=call-view]');
  const closeDrawer = async () => {
    await drawer().getByRole('button', { name: 'Close the call' }).click();
    await drawer().waitFor({ state: 'detached' });
  };

  it('loads its files compressed', async () => {
    const encodings: (string | undefined)[] = [];
    page.on('response', (response) => {
      if (/\/assets\/base-.*js$/.test(response.url())) encodings.push(response.headers()['content-encoding']);
    });
    await page.goto(server.url);
    await page.getByText('Online').first().waitFor();
    expect([...new Set(encodings)]).toEqual(['br']);
  });

  it('connects a machine from a computer whose clock is ten minutes ahead', async () => {
    const ahead = await openPage(browser, { person: ann });
    await ahead.clock.install({ time: systemClock.now() + 600_000 });
    await ahead.goto(`${server.url}/machines/new`);
    await ahead.locator('[data-test=command]').waitFor();
    await ahead.getByText(/[45]:\d\d/).waitFor();
    await ahead.context().close();
  });

  it('Back leaves a call that was closed, however many were opened', async () => {
    writeFileSync(join(daemon.root, 'a.txt'), 'a\n');
    await run(ann, 'read_file', { filePath: 'a.txt' });
    await run(ann, 'list_files', { dirPath: '.' });
    await follow(page, '/settings');
    await page.getByRole('link', { name: 'Activity' }).first().click();
    const rows = page.locator('[data-test=call]');
    await rows.first().click();
    await page.waitForURL(/\/activity\/./);
    // The row under the open call, as a keyboard reaches it.
    await rows.nth(1).dispatchEvent('click');
    await drawer().getByRole('heading', { name: 'Read a.txt' }).waitFor();
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

  it('filters Activity by what decided a call: a question, a rule or a mode', async () => {
    const write = (content: string) => run(ann, 'write_file', { filePath: 'ruled.md', content });
    const { requestId } = await write('a');
    await answer(ann, requestId, { approved: true, resourceDecision: 'alwaysAllow' });
    await until(async () => (await write('b')).state === 'succeeded');
    const rows = page.locator('[data-test=call]');
    const decided = page.getByLabel('Decided', { exact: true });
    const only = async (count: number, verb: string) => {
      await until(async () => (await rows.count()) === count);
      expect(await rows.first().innerText()).toContain(verb);
    };
    await page.goto(`${server.url}/activity`);
    await decided.selectOption('rule');
    await page.waitForURL(`${server.url}/activity?ruling=rule`);
    await only(1, 'ruled.md');
    await page.reload();
    await only(1, 'ruled.md');
    await page.getByText('only those that were asked about are known').waitFor();
    await decided.selectOption('mode');
    await only(2, 'Listed');
    await page.goBack();
    await only(1, 'ruled.md');
    await run(ann, 'write_file', { filePath: 'ruled.md', content: 'live' });
    await until(async () => (await rows.count()) === 2);

    // Saved by a name, and chosen by its number at the next visit.
    await page.keyboard.press('s');
    await page.locator('[data-test=filter-name]').waitFor();
    await page.keyboard.type('Decided by a rule');
    await page.keyboard.press('Enter');
    const saved = page.locator('[data-test=saved-filter]');
    await saved.waitFor();
    await page.goto(`${server.url}/activity`);
    await saved.getByText('Decided by a rule').waitFor();
    await page.keyboard.press('1');
    await page.waitForURL(`${server.url}/activity?ruling=rule`);
    await only(2, 'ruled.md');
    expect(await axeFaultsInThemes(page)).toEqual([]);
    expect(await widthFaults(page)).toEqual([]);
    await showTheme(page, 'light');
    await page.setViewportSize({ width: 1_280, height: 800 });
    await page.getByRole('button', { name: 'Delete the saved filter Decided by a rule' }).press('Enter');
    await saved.waitFor({ state: 'detached' });
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
    await follow(page, '/activity');
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
    await follow(page, `/confirmations/${id}`);
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

  it('shows what is chosen and when calls were made in forced colours', async () => {
    const { requestId } = await run(ann, 'write_file', { filePath: 'a.txt', content: 'd\n' });
    await page.emulateMedia({ forcedColors: 'active' });
    const styleOf = async (path: string, selector: string, name: 'outlineStyle' | 'backgroundColor') => {
      await follow(page, path);
      return page
        .locator(selector)
        .first()
        .evaluate((element, of) => getComputedStyle(element)[of], name);
    };
    expect({
      label: await styleOf('/settings/appearance', 'label:has(input:checked)', 'outlineStyle'),
      row: await styleOf('/inbox', '[data-test=row][aria-current]', 'outlineStyle'),
      bar: await styleOf('/activity', '[data-test=bars] > :not([title$=": 0"]) > span', 'backgroundColor'),
    }).toEqual({ label: 'solid', row: 'solid', bar: expect.not.stringContaining('255, 255, 255') });
    await page.emulateMedia({ forcedColors: null });
    await answer(ann, requestId, { approved: false });
  });

  it('a page whose file does not load says so, and opens when it does', async () => {
    await follow(page, '/inbox');
    await page.route('**/assets/webhooks-page-*', (route) => route.abort());
    // The navigation itself fails.
    await follow(page, '/settings/webhooks').catch(() => undefined);
    const note = page.locator('[data-test=page-problem]');
    await note.getByText('Webhooks needs the server').waitFor();
    await page.unroute('**/assets/webhooks-page-*');
    await note.getByRole('button', { name: 'Try again' }).click();
    await page.waitForURL(`${server.url}/settings/webhooks`);
    await page.getByRole('heading', { name: 'Webhooks' }).first().waitFor();
  });

  it('calls that are alike are one row of Activity until it is opened', async () => {
    mkdirSync(join(daemon.root, 'posts'));
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      writeFileSync(join(daemon.root, 'posts', name), 'x\n');
      await run(ann, 'read_file', { filePath: `posts/${name}` });
    }
    await follow(page, '/activity');
    const rows = page.locator('[data-test=call]');
    const repeats = page.locator('[data-test=repeats]').filter({ hasText: 'Read 5 files in posts' });
    await repeats.waitFor();
    expect(await rows.filter({ hasText: 'posts/' }).count()).toBe(0);
    await page
      .locator('[data-test=scale]')
      .getByText(/^peak: [\d,]+ in \d+ min$/)
      .waitFor();
    // What was denied has a colour of its own in its bar, and a number above the bars.
    await page.locator('[data-test=end-count]').getByText('denied').waitFor();
    const bar = page
      .locator('[data-test=bars] > span > span')
      .filter({ has: page.locator('[data-end=denied]') });
    const colourOf = (part: Locator) => part.evaluate((one) => getComputedStyle(one).backgroundColor);
    const denied = bar.locator('[data-end=denied]').first();
    expect(await colourOf(denied)).not.toBe(await colourOf(bar.first()));
    expect(await colourOf(denied)).not.toMatch(/rgba|\//);
    await repeats.click();
    await expect.poll(() => rows.filter({ hasText: 'posts/' }).count()).toBe(5);
    await repeats.click();
    await expect.poll(() => rows.filter({ hasText: 'posts/' }).count()).toBe(0);
    await page.keyboard.press('j');
    await page.waitForURL(/\/activity\/./);
    await rows.filter({ hasText: 'posts/e' }).waitFor();
    await page.keyboard.press('Escape');
    // The way back takes a moment, and would undo the next test's first step.
    await page.waitForURL(/\/activity$/);
    // A command is found by each of its lines.
    const script = { command: 'set -e\ncd posts\necho later-line' };
    const { requestId } = await run(ann, 'shell_execute', script);
    await follow(page, '/activity?q=later-line');
    await rows.filter({ hasText: 'echo later-line' }).waitFor();
    expect(await rows.count()).toBe(1);
    // Its question has the line that says most in the title, and all of them below.
    await follow(page, `/inbox/${(await questionOf(ann, requestId)).id}`);
    const title = 'Run “echo later-line” and 2 more lines?';
    await page.getByRole('heading', { level: 1, name: title }).waitFor();
    const shown = await page.locator('[data-test=resource]').innerText();
    expect(shown).toMatch(/set -e\s+cd posts\s+echo later-line/);
    await answer(ann, requestId, { approved: false });
    // A long one has two lines on the page of its call.
    const long = await run(ann, 'shell_execute', { command: `echo ${'word '.repeat(100)}` });
    await follow(page, `/activity/${long.requestId}`);
    const heading = page.locator('#call-heading').filter({ hasText: 'word' });
    expect((await heading.boundingBox())?.height).toBe(56);
    await answer(ann, long.requestId, { approved: false });
  });

  it('tightens a permission with one click, and the machine asks from then on', async () => {
    const [machine] = await ann.api.machines.list.query();
    await follow(page, `/machines/${machine?.id}`);
    const mode = page.locator('[data-test=mode]').filter({ hasText: 'Read files' });
    expect(await page.getByRole('button', { name: 'Set to Ask: Change files' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Set to Ask: Read files' }).click();
    await mode.getByText('Asks you each time').waitFor();
    const { requestId } = await run(ann, 'read_file', { filePath: 'a.txt' });
    await answer(ann, requestId, { approved: false });
  });

  it('scrolls no page sideways at 640 pixels, which is a zoom of 200 % on 1,280', async () => {
    await page.setViewportSize({ width: 640, height: 400 });
    const machine = `/machines/${(await ann.api.machines.list.query())[0]?.id}`;
    const { calls } = await ann.api.calls.list.query({ limit: 1 });
    const wide: string[] = [];
    for (const path of [
      ...['/inbox', '/activity', `/activity/${calls[0]?.requestId}`, '/more', '/agents', '/agents/new'],
      ...['/machines', '/machines/new', machine, `${machine}/rules`, `${machine}/tools?tool=edit_file`],
      ...['account', 'notifications', 'channels', 'webhooks', 'appearance', 'people', 'server'].map(
        (name) => `/settings/${name}`,
      ),
    ]) {
      await follow(page, path);
      await page.locator('main').getByRole('heading').first().waitFor();
      await until(async () => (await page.locator('[aria-label=Loading]').count()) === 0);
      const isWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
      if (isWide) wide.push(path);
    }
    expect(wide).toEqual([]);
  });
});
