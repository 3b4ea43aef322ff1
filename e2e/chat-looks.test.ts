import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startScriptedModel, type ScriptedModel } from './agent/scripted-model.ts';
import {
  createProcesses,
  openPage,
  startBrowser,
  startServer,
  type Person,
  type Server,
} from './harness/index.ts';
import { describeWith } from './services.ts';

const wide = { width: 1_280, height: 800 };
const twoFrames = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))';
const phone = { width: 390, height: 844 };
const table =
  '| Service of the site | Port that it uses | Last time it began |\n|---|---|---|\n| web | 80 | today |\n';
const watcher = {
  name: 'delegate',
  arguments: { role: 'watcher', instructions: 'Keep on', background: true },
};

describeWith('chromium')('where things stand in the chat', () => {
  const processes = createProcesses();
  const ends = Promise.withResolvers<void>();
  let model: ScriptedModel;
  let server: Server;
  let ann: Person;
  let browser: Browser;
  let page: Page;

  const send = async (text: string) => {
    await page.getByRole('textbox', { name: 'Message' }).fill(text);
    await page.keyboard.press('Enter');
  };
  const boxOf = async (of: Locator) => {
    const box = await of.boundingBox();
    if (box === null) throw new Error('It is not shown.');
    return { ...box, end: box.y + box.height };
  };
  const lastRun = () => page.locator('[data-test=run]').last();

  beforeAll(async () => {
    model = await startScriptedModel(({ tools, body }) => {
      const last = JSON.stringify(body.messages.at(-1));
      if (last.includes('Keep on')) return { text: 'I watch.', until: ends.promise };
      if (tools.length === 0) return { text: 'A chat with a title that is too long for its list' };
      return last.includes('Watch it') ? { calls: [watcher] } : { text: table };
    });
    server = await startServer(processes, { AGENT_MODEL: 'stub', AGENT_MODEL_URL: model.url });
    ann = await server.createOwner();
    browser = await startBrowser();
    page = await openPage(browser, { person: ann, viewport: wide });
    await page.goto(`${server.url}/chat`);
  });
  afterAll(async () => {
    ends.resolve();
    await browser?.close();
    await model?.close();
    await processes.stopAll();
  });

  it('the prompt of a new chat is below its heading, and goes to the end with what is typed meanwhile', async () => {
    const box = page.getByRole('textbox', { name: 'Message' });
    const prompt = page.locator('form:has([data-test=prompt])');
    const example = page.locator('[data-test=example]').first();
    await example.waitFor();
    const before = await boxOf(prompt);
    expect(before.y - (await boxOf(page.locator('[data-test=empty]'))).end).toBeLessThan(48);
    expect((await boxOf(example)).y - before.end).toBeLessThan(48);
    await send('Show a table');
    await page.keyboard.type('And then');
    await page.locator('[data-test=usage]').waitFor();
    const hasFocus = await box.evaluate((one) => one === document.activeElement);
    expect([await box.inputValue(), hasFocus]).toEqual(['And then', true]);
    expect((await boxOf(prompt)).y).toBeGreaterThan(before.end);
    await box.clear();
  });

  it('a table that is wider than a phone fades out where it goes on', async () => {
    const shown = lastRun().getByRole('group', { name: 'Table' });
    const fade = shown.locator('xpath=..').locator('[data-test=fade]');
    await shown.waitFor();
    expect(await fade.count()).toBe(0);
    await page.setViewportSize(phone);
    await fade.waitFor();
    await shown.evaluate((box) => box.scrollTo(box.scrollWidth, 0));
    await fade.waitFor({ state: 'detached' });
    await page.setViewportSize(wide);
  });

  it('a chat of the list has the whole row for its title, until its button is shown', async () => {
    const row = page.locator('[data-test=thread]').first();
    const title = row.locator('[title^="A chat"]').first();
    await title.waitFor();
    const look = async () => ({
      button: await row.locator('button').evaluate((one) => getComputedStyle(one).opacity),
      beside: (await boxOf(row)).width - (await boxOf(title)).width,
    });
    expect(await look()).toEqual({ button: '0', beside: 24 });
    await row.hover();
    expect(await look()).toEqual({ button: '1', beside: 48 });
  });

  it('the way to the end goes when there is nothing left to scroll', async () => {
    const toEnd = page.locator('[data-test=to-end]');
    await page.setViewportSize({ width: 390, height: 400 });
    // The page follows its end until the window has its new size.
    const isShown = async () => {
      await page.evaluate('scrollTo(0, 0)');
      return (await toEnd.count()) === 1;
    };
    await expect.poll(isShown).toBe(true);
    await page.setViewportSize({ width: 390, height: 8_000 });
    await toEnd.waitFor({ state: 'detached' });
    await page.setViewportSize(wide);
  });

  it('what is opened stays in its place; on a phone the buttons of a background task are on its line', async () => {
    await send('Watch it');
    await page.locator('[data-test=background]').waitFor({ state: 'attached' });
    await page.setViewportSize({ ...wide, height: 400 });
    // The page follows its end, but what is opened stays under the pointer.
    await page.evaluate(twoFrames);
    const opener = page.getByRole('button', { name: /^Watcher · running/ });
    const { y: before } = await boxOf(opener);
    await opener.click();
    await page.getByText('Keep on', { exact: true }).waitFor();
    await page.evaluate(twoFrames);
    expect((await boxOf(opener)).y).toBe(before);
    await page.setViewportSize(wide);
    const finger = await openPage(browser, { person: ann, viewport: phone, hasTouch: true, isMobile: true });
    await finger.goto(page.url());
    const task = finger.locator('[data-test=agent]');
    const line = await boxOf(task.getByRole('button', { name: /^Watcher · running/ }));
    for (const name of ['Redirect Watcher', 'Stop Watcher']) {
      const { y, height } = await boxOf(task.getByRole('button', { name }));
      expect([name, y, height]).toEqual([name, line.y, line.height]);
    }
    // The list of agents is closed with a button in the middle of its head.
    await finger.locator('[data-test=work-bar]').click();
    const dialog = finger.getByRole('dialog');
    const [title, close] = [
      await boxOf(dialog.getByRole('heading', { name: 'Plan and agents' })),
      await boxOf(dialog.getByRole('button', { name: 'Close' })),
    ];
    expect(Math.abs(title.y + title.end - close.y - close.end)).toBeLessThan(3);
    await finger.context().close();
  });
});
