import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  answer,
  createProcesses,
  follow,
  lengthenTitles,
  openPage,
  questionOf,
  run,
  startBrowser,
  startMachine,
  until,
  widthFaults,
  type Daemon,
  type Person,
  type Server,
} from './harness/index.ts';
import { describeWith } from './services.ts';

describeWith('chromium')('the inbox', () => {
  const processes = createProcesses();
  let server: Server;
  let ann: Person;
  let daemon: Daemon;
  let browser: Browser;
  let page: Page;

  const ask = async (filePath: string, content = 'new\n') => {
    const { requestId } = await run(ann, 'write_file', { filePath, content });
    await questionOf(ann, requestId);
    return requestId;
  };
  const row = (text: string) => page.locator('[data-test=row]').filter({ hasText: text });
  const heading = (name: string) => page.getByRole('heading', { level: 1, name });
  const awake = () => page.locator('[data-decision=allowOnce]:enabled').waitFor();

  beforeAll(async () => {
    ({ server, ann, daemon } = await startMachine(processes));
    browser = await startBrowser();
    page = await openPage(browser, { person: ann });
  });

  afterAll(async () => {
    await browser?.close();
    await processes.stopAll();
  });

  it('is home, opens the oldest question, and is walked with j and k', async () => {
    await ask('one.txt');
    await ask('two/two.txt');
    await page.goto(server.url);
    await heading('Create one.txt?').waitFor();
    // Its keys work at once.
    await until(() => page.evaluate<boolean>(`document.activeElement.matches('[data-answers]')`));
    await page.locator('[data-test=why]').getByText('Change files set to Ask.').waitFor();
    await page.keyboard.press('j');
    await heading('Create two/two.txt?').waitFor();
    await page.keyboard.press('k');
    await heading('Create one.txt?').waitFor();
  });

  it('moves nothing under the pointer when a question closes or comes', async () => {
    const below = row('two.txt');
    await below.hover();
    const before = await below.boundingBox();
    await awake();
    await page.keyboard.press('a');
    await page.locator('[data-test=closed]').first().waitFor();
    await until(async () => existsSync(join(daemon.root, 'one.txt')));
    await ask('three/three.txt');
    await row('three.txt').waitFor();
    expect(await below.boundingBox()).toEqual(before);
    // The answer opens the next question.
    await heading('Create two/two.txt?').waitFor();
  });

  it('says in its place that a question was answered elsewhere', async () => {
    const requestId = await ask('four/four.txt');
    await row('four.txt').click();
    await heading('Create four/four.txt?').waitFor();
    await answer(ann, requestId, { approved: false, resourceDecision: 'denyOnce' });
    await page
      .locator('[data-test=outcome-of]')
      .getByText('Already denied in another window or on another device')
      .waitFor();
  });

  it('answers like questions of one agent together, each listed', async () => {
    for (const name of ['a', 'b', 'c']) await ask(`posts/${name}.md`, `# ${name}\n`);
    // While the pointer is on the list, its rows stay as they are.
    await page.mouse.move(1_000, 300);
    await row('Write 3 files in posts?').click();
    await heading('Write 3 files in posts?').waitFor();
    const listed = page.locator('[data-test=member]');
    expect(await listed.getByRole('heading').allInnerTexts()).toEqual(
      ['a', 'b', 'c'].map((name) => expect.stringContaining(`Create posts/${name}.md?`)),
    );
    expect(await listed.locator('[data-row=added]').count()).toBe(3);
    await page.getByRole('button', { name: 'Allow 3' }).click();
    await page.locator('[data-test=closed]').getByText('Allowed 3 questions').waitFor();
    const written = () => ['a', 'b', 'c'].map((name) => existsSync(join(daemon.root, `posts/${name}.md`)));
    await until(async () => !written().includes(false));
    // Undo asks one question for all of them.
    const note = page.locator('[data-test=closed]').filter({ hasText: 'Allowed 3 questions' });
    await note.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('heading', { name: /^Put back 3 files/ }).waitFor();
    const reading = page.locator('[data-test=reading]');
    await reading.evaluate((element) => element.scrollTo(0, element.scrollHeight));
    await page.locator('[data-decision=allowOnce]:enabled').click();
    await until(async () => !written().includes(true));
    await follow(page, '/inbox');
  });

  it('shows a deletion in red, and takes a reason by key', async () => {
    writeFileSync(join(daemon.root, 'one.txt'), 'kept\n');
    mkdirSync(join(daemon.root, 'old'));
    for (const name of ['a', 'b']) writeFileSync(join(daemon.root, 'old', name), 'kept\n');
    const { requestId } = await run(ann, 'delete', { path: 'old' });
    await questionOf(ann, requestId);
    await row('Delete the folder old (2 files)?').click();
    await heading('Delete the folder old (2 files)?').waitFor();
    // Each deleted file is listed with its size.
    const gone = page.locator('[data-row=removed]');
    expect((await gone.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' '))).toEqual(
      ['a', 'b'].map((name) => expect.stringContaining(`${name} 5 bytes`)),
    );
    await awake();
    await page.keyboard.press('r');
    await page.locator('[data-test=reason]').fill('Keep it');
    await page.keyboard.press('Enter');
    const closed = page.locator('[data-test=closed]').filter({ hasText: 'Delete the folder old (2 files)?' });
    await closed.getByText('Denied: Keep it').waitFor();
    await heading('Create two/two.txt?').waitFor();
    expect(await ann.api.calls.get.query({ requestId })).toMatchObject({ denialReason: 'Keep it' });
    expect(readFileSync(join(daemon.root, 'old/a'), 'utf8')).toBe('kept\n');
  });

  it('shows the two sides of a change beside each other on the commonest laptop', async () => {
    await page.setViewportSize({ width: 1_440, height: 900 });
    const requestId = await ask('one.txt', 'changed\n');
    await row('one.txt').filter({ hasText: 'Replace' }).click();
    await page.locator('[data-test=split]').first().waitFor();
    // What two long lines have in common is folded, and needs no scrolling.
    const css = (colour: string) => `a{color:${colour};${'b'.repeat(6_000)}}\n`;
    writeFileSync(join(daemon.root, 'style.css'), css('red'));
    const long = await ask('style.css', css('blue'));
    await row('style.css').click();
    await page.locator('[data-row=added] [data-test=fold]').waitFor();
    await awake();
    await answer(ann, long, { approved: false, resourceDecision: 'denyOnce' });
    await answer(ann, requestId, { approved: false, resourceDecision: 'denyOnce' });
    await page.setViewportSize({ width: 1_280, height: 800 });
  });

  it('a selection is denied after a moment, and one key undoes it until then', async () => {
    const names = ['undo/p.txt', 'undo/q.txt'];
    for (const name of names) await ask(name);
    const says = (text: string) => page.locator('[data-test=closed]').getByText(text).waitFor();
    const deny = async () => {
      await page.locator('[data-test=list-keys] button').click();
      for (const name of names) await page.getByLabel(`Select Create ${name}?`).check();
      await page.locator('[data-test=deny-selected]').click();
      await page.getByRole('dialog').getByRole('button', { name: 'Deny 2' }).click();
      await says('Denying 2 questions');
    };
    await deny();
    await page.keyboard.press('z');
    await says('Not denied: 2 questions wait again');
    expect(await ann.api.confirmations.list.query()).toHaveLength(4);
    await deny();
    await says('Denied 2 questions');
    expect(await ann.api.confirmations.list.query()).toHaveLength(2);
  });

  it('says which other questions a lasting answer settles, before and afterwards', async () => {
    for (const name of ['x', 'y']) await ask(`many/${name}.txt`);
    await page.mouse.move(1_000, 300);
    await row('many/x.txt').click();
    await heading('Create many/x.txt?').waitFor();
    await page.locator('[data-test=more]').click();
    const scope = page.locator('[data-test=lasting] > div').filter({ has: page.locator('[data-test=also]') });
    expect(await scope.locator('[data-test=also]').innerText()).toBe('Also answers Create many/y.txt?');
    await scope.locator('[data-decision=alwaysAllow]:enabled').click();
    const settled = page.locator('[data-test=closed]').filter({ hasText: 'Create many/y.txt?' });
    await settled.getByText('This answer also allowed 1 other question').waitFor();
    await until(async () => existsSync(join(daemon.root, 'many/y.txt')));
  });

  it('on a phone, an answer leads to the next question, and can be undone there', async () => {
    const phone = await openPage(browser, { person: ann, viewport: { width: 390, height: 844 } });
    const requestId = await ask('phone/one.txt');
    const { id } = await questionOf(ann, requestId);
    await phone.goto(`${server.url}/inbox/${id}`);
    await phone.getByRole('heading', { level: 1, name: 'Create phone/one.txt?' }).waitFor();
    await phone.locator('[data-test=more]').click();
    await phone.locator('[data-test=lasting] [data-decision=alwaysAllow]:enabled').first().click();
    await phone.getByRole('heading', { level: 1, name: 'Create two/two.txt?' }).waitFor();
    expect(await widthFaults(phone)).toEqual([]);
    await phone.locator('[data-test=closed]').getByRole('button', { name: 'Undo' }).click();
    await phone.locator('[data-test=closed]').getByText('Rule revoked').waitFor();
    await phone.context().close();
  });

  it('takes 20 questions at once without moving its parts', async () => {
    await page.goto(`${server.url}/activity`);
    await page.locator('[data-test=strip]').waitFor();
    await page.getByRole('link', { name: /Inbox/ }).first().click();
    await heading('Create two/two.txt?').waitFor();
    await page.evaluate(
      'window.shift = 0; new PerformanceObserver((list) => list.getEntries().forEach((one) => (window.shift += one.value))).observe({ type: "layout-shift" })',
    );
    await Promise.all(
      Array.from({ length: 20 }, (_, at) => run(ann, 'write_file', { filePath: `${at}/x`, content: '' })),
    );
    await page.getByText('22 waiting').first().waitFor();
    expect(await page.evaluate('window.shift')).toBeLessThan(0.1);
  });

  it('without the live updates, it is loading until it knows what waits, and then checks again', async () => {
    const blocked = await openPage(browser, { person: ann });
    await blocked.clock.install();
    await blocked.route('**/trpc/live.onEvent**', () => {});
    const lists = Promise.withResolvers<void>();
    await blocked.route('**/trpc/*confirmations.list*', async (route) => {
      await lists.promise;
      await route.continue();
    });
    await blocked.goto(`${server.url}/inbox`);
    await blocked.getByRole('status', { name: 'Loading' }).waitFor();
    expect(await blocked.getByText('Nothing waits for you').count()).toBe(0);
    lists.resolve();
    await blocked.getByText('22 waiting').first().waitFor();
    await blocked.clock.fastForward(3_000);
    await blocked.getByText('Live updates do not get through.').waitFor();
    await blocked.getByText(/Checked (now|\d s ago)/).waitFor();
    const before = blocked.url();
    await ask('late/late.txt');
    await blocked.clock.fastForward(5_000);
    await blocked.getByText('23 waiting').first().waitFor();
    expect(blocked.url()).toBe(before);
    // A request that the page makes meanwhile fails with the page, and no test with it.
    await blocked.unrouteAll({ behavior: 'ignoreErrors' });
    await blocked.context().close();
  });

  it('a question comes once, though what is open is read at the start and again with the stream', async () => {
    await ask('once.txt', 'in full\n'.repeat(500));
    const loading = await openPage(browser, { person: ann });
    const answers: Promise<string>[] = [];
    loading.on('response', (response) => {
      if (response.url().includes('confirmations.')) answers.push(response.text());
    });
    await loading.goto(`${server.url}/inbox`);
    await loading.getByText('24 waiting').first().waitFor();
    await until(async () => answers.length > 1);
    expect((await Promise.all(answers)).filter((text) => text.includes('in full'))).toHaveLength(1);
    await loading.context().close();
  });

  it('a long title widens no phone', async () => {
    const title = await lengthenTitles(page);
    const [{ id } = { id: '' }] = await ann.api.confirmations.list.query();
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(`${server.url}/inbox`);
    await row(title).first().waitFor();
    expect(await widthFaults(page)).toEqual([]);
    await page.goto(`${server.url}/inbox/${id}`);
    await heading(title).waitFor();
    expect(await widthFaults(page)).toEqual([]);
  });
});
