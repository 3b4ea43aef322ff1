import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  answer,
  copyCall,
  createProcesses,
  follow,
  openPage,
  questionOf,
  run,
  startOwnBrowser,
  startMachine,
  until,
  type Daemon,
  type Person,
  type Server,
} from './harness/index.ts';
import { describeWith } from './services.ts';

describeWith('chromium')('activity in a browser', () => {
  const processes = createProcesses();
  let server: Server;
  let ann: Person;
  let daemon: Daemon;
  let browser: Browser;
  let page: Page;
  const ids = { changed: '', denied: '' };

  beforeAll(async () => {
    ({ server, ann, daemon } = await startMachine(processes));
    writeFileSync(join(daemon.root, 'server.ts'), 'const port = 3000;\n');
    await run(ann, 'read_file', { filePath: 'server.ts' });
    copyCall(server.dataDir, 2_000);
    await run(ann, 'read_file', { filePath: 'missing.ts' });
    ids.changed = (
      await run(ann, 'edit_file', { filePath: 'server.ts', oldString: '3000', newString: '8080' })
    ).requestId;
    await answer(ann, ids.changed, { approved: true, resourceDecision: 'allowOnce' });
    ids.denied = (await run(ann, 'write_file', { filePath: 'notes.md', content: 'a\nb\n' })).requestId;
    await answer(ann, ids.denied, { approved: false, resourceDecision: 'denyOnce' });
    browser = await startOwnBrowser();
    page = await openPage(browser, { person: ann, permissions: ['clipboard-read', 'clipboard-write'] });
  });

  afterAll(async () => {
    await browser?.close();
    await processes.stopAll();
  });

  const open = (query = '') => follow(page, `/activity${query}`);
  const rows = () => page.locator('[data-test=call]');
  const row = (text: string | RegExp): Locator => rows().filter({ hasText: text }).first();
  const call = () => page.locator('[data-test=call-view]');
  const total = () => page.locator('[data-test=total]');

  it('says in each row what was touched, by whom, where and how it ended', async () => {
    await page.goto(`${server.url}/activity`);
    const words = async (text: string) => (await row(text).innerText()).replaceAll(/\s+/g, ' ');
    await expect
      .poll(() => words('notes.md'))
      .toMatch(/^\d\d:\d\d:\d\d Write notes\.md \S+ Panel Denied by you$/);
    await expect.poll(() => words('missing.ts')).toMatch(/Read missing\.ts \S+ Panel Failed · \d/);
    await expect.poll(() => words('Changed')).toMatch(/Changed server\.ts \S+ Panel .*Allowed by you/);
  });

  it('renders few of the 2,000 rows, and loads older ones by scrolling', async () => {
    await open('?from=all');
    await rows().first().waitFor();
    let most = 0;
    await until(async () => {
      await page.evaluate('scrollTo(0, document.body.scrollHeight)');
      most = Math.max(most, await rows().count());
      return (await row('past-2000.txt').count()) > 0;
    });
    expect(most).toBeLessThan(200);
    await total().getByText('2,004 calls').waitFor();
  });

  describe('filters', () => {
    it('are in the address: a reload and Back keep them', async () => {
      await page.goto(`${server.url}/activity?from=all`);
      await page.getByLabel('State', { exact: true }).selectOption('denied');
      await page.waitForURL(`${server.url}/activity?state=denied&from=all`);
      await until(async () => (await rows().count()) === 1);
      await page.reload();
      await row('notes.md').waitFor();
      await page.keyboard.press('/');
      await page.keyboard.type('past-19');
      await page.waitForURL(/q=past-19/);
      await page.getByText('No call matches').waitFor();
      await page.goBack();
      await row('notes.md').waitFor();
      await page.getByRole('button', { name: 'Clear' }).click();
      await page.waitForURL(`${server.url}/activity?from=all`);
    });

    it('find a text, a tool, a maker, a machine and a time', async () => {
      const { calls } = await ann.api.calls.list.query({ limit: 1 });
      const at = (offsetMs: number) =>
        new Date(Date.parse(calls[0]?.createdAt ?? '') + offsetMs).toISOString();
      for (const [query, count] of [
        ['q=PAST-1234', 1],
        ['tool=edit_file', 1],
        ['by=chat', 0],
        [`by=panel&tool=write_file`, 1],
        ['machine=unknown', 0],
        [`from=${at(-60_000)}&to=${at(60_000)}&state=failed`, 1],
      ] as const) {
        await open(query.startsWith('from') ? `?${query}` : `?from=all&${query}`);
        await total().getByText(`${count} call`).waitFor();
        await expect.poll(() => rows().count(), { message: query }).toBe(count);
      }
    });

    it('select a time by dragging over the bars, and by the keyboard', async () => {
      await open('?from=all');
      await total().getByText('2,004').waitFor();
      const box = await page.locator('[data-test=bars]').boundingBox();
      if (!box) throw new Error('no bars');
      const y = box.y + box.height / 2;
      await page.mouse.move(box.x + box.width * 0.25, y);
      await page.mouse.down();
      await page.mouse.move(box.x + box.width * 0.5, y);
      await page.mouse.up();
      await page.waitForURL(/from=20\d\d.*to=20/);
      await until(async () => {
        const [count = '0'] = (await total().innerText()).replace(',', '').match(/\d+/) ?? [];
        return Number(count) > 100 && Number(count) < 1_500;
      });
      await open('?from=all');
      await total().getByText('2,004').waitFor();
      const first = page.getByRole('slider', { name: 'First time' });
      await first.focus();
      for (let step = 0; step < 59; step += 1) await page.keyboard.press('ArrowRight');
      await page.keyboard.press('Enter');
      await page.waitForURL(/from=20\d\d.*to=20/);
      await row('notes.md').waitFor();
    });
  });

  it('is live, and holds new calls while it is paused', async () => {
    await open();
    await row('notes.md').waitFor();
    await run(ann, 'read_file', { filePath: 'live-1.ts' });
    await row('live-1.ts').waitFor();
    await page.locator('[data-test=live]').click();
    for (const filePath of ['live-2.ts', 'live-3.ts']) await run(ann, 'read_file', { filePath });
    await page.locator('[data-test=live]').getByText('2 new').waitFor();
    expect(await row('live-3.ts').count()).toBe(0);
    await page.locator('[data-test=live]').click();
    await row('live-3.ts').waitFor();
  });

  it('saves the calls of the filter as a file', async () => {
    await open('?from=all&state=denied');
    await row('notes.md').waitFor();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.locator('[data-test=export-csv]').click(),
    ]);
    expect(file.suggestedFilename()).toBe('drawbridge-calls.csv');
    const lines = readFileSync((await file.path()) ?? '', 'utf8')
      .trimEnd()
      .split('\r\n');
    expect(lines.map((line) => line.split(',')[2])).toEqual(['"subject"', '"notes.md"']);
  });

  describe('a call', () => {
    it('shows the question as it was asked, its steps, its arguments as a table, and its result', async () => {
      await open();
      await row('Changed').click();
      await page.waitForURL(`${server.url}/activity/${ids.changed}`);
      await call().getByRole('heading', { name: 'Changed server.ts' }).waitFor();
      await call().getByText('Change server.ts?').waitFor();
      await call().locator('[data-test=call-before]').getByText('missing.ts').waitFor();
      await call().locator('[data-row=added]').getByText('const port = 8080;').waitFor();
      const steps = call().locator('[data-test=steps] th');
      const names = ['Requested', 'Sent', 'Asked', 'Decided', 'Started', 'Ended'];
      expect(await steps.allTextContents()).toEqual(names.map((name) => expect.stringContaining(name)));
      const args = await call().locator('[data-test=arguments] > div').allInnerTexts();
      // The difference shows the texts, and the heading the path that is the result.
      expect(args.map((text) => text.split(/\s+/))).toEqual([['File', 'server.ts']]);
      expect(await call().locator('[data-test=result]').count()).toBe(0);
      expect(await call().locator('[data-test=call-facts]').innerText()).toMatch(/Took \d.*, waited \d/);
      // The list stays beside it, and Back leads to it.
      expect(await rows().count()).toBeGreaterThan(3);
      await call().getByRole('button', { name: 'Close the call' }).click();
      await page.waitForURL(`${server.url}/activity`);
    });

    it('that failed says why, and a denial is shown once, with its question', async () => {
      const { calls } = await ann.api.calls.list.query({ q: 'missing.ts', limit: 1 });
      await follow(page, `/activity/${calls[0]?.requestId}`);
      await call()
        .locator('[data-test=steps] tr')
        .getByText(/Failed on \S+: Nothing exists at this path/)
        .waitFor();
      expect(await call().locator('[data-test=steps]').innerText()).not.toContain('known');
      await follow(page, `/activity/${ids.denied}`);
      await call().locator('[data-test=question]').getByText('Denied', { exact: true }).waitFor();
      await call().locator('[data-test=steps]').waitFor();
      expect(await call().getByRole('heading', { name: 'Result' }).count()).toBe(0);
      expect(await call().locator('[data-test=call-facts]').innerText()).toContain('Denied by you');
    });

    it('runs again, and asks as usual', async () => {
      await page.goto(`${server.url}/activity/${ids.denied}`);
      await call().getByRole('button', { name: 'Run again' }).click();
      await page.waitForURL(
        (url) => /\/activity\/./.test(url.pathname) && !url.pathname.endsWith(ids.denied),
      );
      const again = page.url().split('/').at(-1) ?? '';
      await questionOf(ann, again);
      await answer(ann, again, { approved: false });
      await call().locator('[data-test=call-facts]').getByText('Denied by you').waitFor();
    });

    it('that a rule allowed shows what it changed, and the rule', async () => {
      const edit = (oldString: string, newString: string) =>
        run(ann, 'edit_file', { filePath: 'server.ts', oldString, newString });
      const asked = await edit('8080', '9090');
      await answer(ann, asked.requestId, { approved: true, resourceDecision: 'alwaysAllow' });
      const { requestId } = await edit('port = 9090', 'host  = 1');
      await follow(page, `/activity/${requestId}`);
      const allowed = call().locator('[data-test=allowed]');
      await allowed.locator('[data-row=added]').getByText('const host').waitFor();
      await allowed.getByText(/By a rule: change or delete \S*server\.ts/).waitFor();
      await call()
        .locator('[data-test=steps] tr')
        .getByText(/by rule: change or delete/)
        .waitFor();
      await allowed.getByRole('link', { name: 'Show the rule' }).click();
      await page.waitForURL(/\/machines\/[^/]+\/rules#/);
      await page.locator('[data-test=rule]:target, [data-test=rule].bg-primary\\/10').first().waitFor();
    });

    it('is undone in three clicks, with the change back as the question', async () => {
      const path = join(daemon.root, 'port.ts');
      const port = () => readFileSync(path, 'utf8');
      writeFileSync(path, 'const port = 3000;\n');
      const edit = { filePath: 'port.ts', oldString: '3000', newString: '8080' };
      const { requestId } = await run(ann, 'edit_file', edit);
      await answer(ann, requestId, { approved: true, resourceDecision: 'allowOnce' });
      await expect.poll(port).toContain('8080');
      await open();
      await row('port.ts').click();
      await call().getByRole('button', { name: 'Undo this change' }).click();
      await call().getByRole('heading', { name: 'Put back port.ts as it was before?' }).waitFor();
      await call().locator('[data-row=added]').getByText('const port = 3000;').waitFor();
      await call()
        .getByRole('button', { name: /^Allow/ })
        .first()
        .click();
      const undoOfUndo = call().getByRole('button', { name: 'Undo this change' });
      // What the undo left is recorded once it has ended.
      await undoOfUndo.waitFor();
      expect(port()).toBe('const port = 3000;\n');
      writeFileSync(path, 'by hand\n');
      await undoOfUndo.click();
      await call().getByText('Changed again since that call: port.ts').first().waitFor();
      await call().getByRole('button', { name: 'Undo all the same' }).click();
      await call()
        .getByRole('heading', { name: /though it has changed again since/ })
        .waitFor();
    });

    it('is copied as a command without a token', async () => {
      await follow(page, `/activity/${ids.denied}`);
      await call().getByRole('button', { name: 'Copy as curl' }).click();
      const text = await page.evaluate<string>('navigator.clipboard.readText()');
      expect(text).toContain(`curl -f '${server.url}/api/v1/calls'`);
      expect(text).toContain('Bearer $DRAWBRIDGE_TOKEN');
      expect(text).toContain(
        '{"name":"write_file","arguments":{"filePath":"notes.md","content":"a\\nb\\n"}}',
      );
    });

    it('is walked with j and k, closed with Escape, and its row is in sight, also of a link', async () => {
      await open();
      await rows().first().waitFor();
      await page.keyboard.press('j');
      const current = page.locator('[data-test=call][aria-current]');
      await current.waitFor();
      const first = page.url();
      await page.keyboard.press('j');
      await page.waitForURL((url) => url.href !== first);
      await page.keyboard.press('k');
      await page.waitForURL(first);
      await page.keyboard.press('Escape');
      await page.waitForURL(`${server.url}/activity`);
      const old = await ann.api.calls.list.query({ q: 'past-150.txt', limit: 1 });
      await page.goto(`${server.url}/activity/${old.calls[0]?.requestId}?from=all`);
      await current.waitFor();
    });

    it('that is unknown says so', async () => {
      await follow(page, '/activity/unknown');
      await page.getByText('There is no such call.').waitFor();
      await page.getByText('Calls are kept 90 days.').waitFor();
    });

    it('is a page of its own on a phone, and Back leads to the list', async () => {
      await page.setViewportSize({ width: 390, height: 844 });
      await open('?state=denied');
      const filters = page.locator('[data-test=filters] select');
      await expect.poll(() => filters.filter({ visible: true }).count()).toBe(1);
      await page.getByRole('button', { name: 'Filters · 1' }).click();
      expect(await filters.filter({ visible: true }).count()).toBe(6);
      const top = async (of: Locator) => (await of.boundingBox())?.y ?? 0;
      expect(await top(page.locator('[data-test=filter-text]'))).toBeLessThan(await top(filters.first()));
      await row('notes.md').click();
      await call().getByRole('heading', { name: 'Write notes.md' }).waitFor();
      expect(await rows().count()).toBe(0);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
      await page.goBack();
      await row('notes.md').waitFor();
      expect(page.url()).toBe(`${server.url}/activity?state=denied`);
    });
  });
});
