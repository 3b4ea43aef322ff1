import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  createProcesses,
  follow,
  openPage,
  questionOf,
  run,
  startBrowser,
  startMachine,
  until,
  type Person,
  type Server,
} from './harness/index.ts';
import { describeWith } from './services.ts';

describeWith('chromium')('the palette and the list of keys, beside an open question', () => {
  const processes = createProcesses();
  let server: Server;
  let ann: Person;
  let browser: Browser;
  let page: Page;

  const heading = (name: string) => page.getByRole('heading', { level: 1, name });
  const awake = () => page.locator('[data-decision=allowOnce]:enabled').waitFor();

  beforeAll(async () => {
    ({ server, ann } = await startMachine(processes));
    const { requestId } = await run(ann, 'write_file', { filePath: 'two/two.txt', content: 'new\n' });
    await questionOf(ann, requestId);
    browser = await startBrowser();
    page = await openPage(browser, { person: ann });
    await page.goto(server.url);
    await heading('Create two/two.txt?').waitFor();
  });

  afterAll(async () => {
    await browser?.close();
    await processes.stopAll();
  });

  it('opens pages and questions by their names, and lists its keys', async () => {
    await follow(page, '/settings');
    await page.locator('[data-test=strip]').getByText('Create two/two.txt?').waitFor();
    await page.keyboard.press('Control+k');
    await page.locator('[data-test=palette] input').fill('two.txt');
    await page.keyboard.press('Enter');
    await heading('Create two/two.txt?').waitFor();
    await page.keyboard.press('?');
    await page.locator('[data-test=keys]').getByText('Deny with a reason').waitFor();
    await page.keyboard.press('a');
    await page.keyboard.press('Escape');
    await page.locator('[data-test=account]').click();
    await page.locator('#account-menu:popover-open').waitFor();
    await page.keyboard.press('a');
    await page.keyboard.press('Escape');
    // None of these keys answers the question.
    expect(await ann.api.confirmations.list.query()).toHaveLength(1);
  });

  it('CF-29 no letter after Ctrl+K answers the open question, and none is lost', async () => {
    await page.reload();
    await heading('Create two/two.txt?').waitFor();
    await awake();
    await page.locator('[data-answers]:focus').waitFor();
    await page.evaluate(() => {
      const press = (key: string, ctrlKey = false) =>
        document.activeElement?.dispatchEvent(
          new KeyboardEvent('keydown', { key, ctrlKey, bubbles: true, cancelable: true }),
        );
      Object.assign(window, { press });
      // Escape closes a window that is not there yet.
      for (const key of ['?', 'Escape']) press(key);
      press('k', true);
      for (const letter of 'drama') press(letter);
    });
    const typed = page.locator('[data-test=palette] input');
    await until(async () => (await typed.inputValue()) === 'drama');
    await page.keyboard.press('Escape');
    await typed.waitFor({ state: 'detached' });
    // A window that is closing keeps no key from the next one.
    await page.keyboard.press('?');
    await page.locator('[data-test=keys]').waitFor();
    await page.keyboard.press('Escape');
    await page.evaluate(`press('k', true); press('d')`);
    // What was typed before the field had the focus is not selected, and so not replaced.
    await page.locator('[data-test=palette] input:focus').waitFor();
    await page.keyboard.type('rama');
    await until(async () => (await typed.inputValue()) === 'drama');
    await page.keyboard.press('Escape');
    await typed.waitFor({ state: 'detached' });
    // A focus elsewhere takes no answer either.
    await page.locator('[data-test=account]').focus();
    await page.keyboard.type('adr');
    expect(await page.locator('[data-test=reason]').count()).toBe(0);
    expect(await ann.api.confirmations.list.query()).toHaveLength(1);
  });
});
