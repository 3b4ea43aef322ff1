import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startScriptedModel, type ScriptedModel } from './agent/scripted-model.ts';
import {
  answer,
  copyCall,
  createProcesses,
  follow,
  openPage,
  showTheme,
  questionOf,
  run,
  startBrowser,
  startMachine,
  until,
  type Daemon,
  type Person,
  type Server,
  contrastFaults,
} from './harness/index.ts';
import { describeWith } from './services.ts';

const phone = { width: 390, height: 844 };
const wide = { width: 1_440, height: 900 };
const text = Array.from({ length: 40 }, (_, at) => `line ${at}\n`).join('');
const feeds = { id: 'feeds', question: 'Which feeds?', type: 'single', options: ['RSS', 'Atom'] };
const shiftWatch =
  'window.shift = 0; new PerformanceObserver((list) => list.getEntries().forEach((one) => (window.shift += one.value))).observe({ type: "layout-shift", buffered: true })';

/**
 * What a finger would miss: lower than 44 px, with what is added around it. Not links in a text, nor what only
 * the keyboard reaches.
 */
const smallTargets = `[...document.querySelectorAll('a, button, input, select, summary')].flatMap((one) => {
  const box = one.getBoundingClientRect();
  const height = Math.max(box.height, Number.parseFloat(getComputedStyle(one, '::after').height) || 0);
  const label = one.closest('label')?.getBoundingClientRect().height ?? 0;
  const isMeant = one.checkVisibility() && box.height > 1 && !one.closest('p, .sr-only, [data-test=histogram]');
  return isMeant && Math.max(height, label) < 43.5 ? one.outerHTML.slice(0, 160) + Math.round(height) : [];
})`;

describeWith('chromium')('where things stand in the panel', () => {
  const processes = createProcesses();
  let model: ScriptedModel;
  let server: Server;
  let ann: Person;
  let daemon: Daemon;
  let browser: Browser;
  let page: Page;
  const ids = {
    group: 'th_group0000000000000000',
    plain: 'th_plain0000000000000000',
    ask: 'th_ask000000000000000000',
  };
  let member: string;
  let question: string;
  let ended: string;

  const send = (threadId: string, message: string) =>
    ann.api.agent.send.mutate({ threadId, message, attachments: [], mode: 'reject' });
  const boxOf = async (of: Locator) => {
    const box = await of.boundingBox();
    if (box === null) throw new Error('It is not shown.');
    return box;
  };

  beforeAll(async () => {
    model = await startScriptedModel(({ tools, body }) => {
      if (tools.length === 0) return { text: 'A chat' };
      const last = JSON.stringify(body.messages.at(-1));
      if (last.includes('Ask me'))
        return { calls: [{ name: 'ask-user', arguments: { questions: [feeds] } }] };
      if (!last.includes('Write three')) return { text: 'Hello.\n\n- [x] done\n- [ ] to do\n' };
      return {
        calls: ['x', 'y', 'z'].map((name) => ({
          name: 'write_file',
          arguments: { filePath: `posts/${name}.md`, content: text },
        })),
      };
    });
    const env = { AGENT_MODEL: 'stub', AGENT_MODEL_URL: model.url };
    ({ server, ann, daemon } = await startMachine(processes, { env, flags: ['--permission-shell', 'ask'] }));
    browser = await startBrowser();
    page = await openPage(browser, { person: ann, viewport: wide });
    mkdirSync(join(daemon.root, 'posts'));
    writeFileSync(join(daemon.root, 'a.txt'), 'a\n');
    await run(ann, 'read_file', { filePath: 'a.txt' });
    copyCall(server.dataDir, 60);
    const done = await run(ann, 'write_file', { filePath: 'a.txt', content: 'b\n' });
    await answer(ann, done.requestId, { approved: true, resourceDecision: 'allowOnce' });
    ended = done.requestId;
    await send(ids.plain, 'a\u200bb');
    await send(ids.ask, 'Ask me');
    await send(ids.group, 'Write three');
    member = (
      await until(async () => {
        const open = await ann.api.confirmations.list.query();
        return open.length === 3 && open[0];
      })
    ).id;
    await until(async () => (await ann.api.agent.asks.query()).length === 1);
    const { requestId } = await run(ann, 'shell_execute', { command: 'echo a\u200bb' });
    question = (await questionOf(ann, requestId)).id;
    await page.goto(`${server.url}/inbox`);
    await page.locator('[data-test=row]').first().waitFor();
  });

  afterAll(async () => {
    await browser?.close();
    await model?.close();
    await processes.stopAll();
  });

  it.each([wide, phone])(
    'shows each page without moving what is there already, $width pixels wide, and on a phone nothing is too small',
    async (viewport) => {
      const fresh = await openPage(browser, { person: ann, viewport });
      await fresh.addInitScript(shiftWatch);
      const [machine] = await ann.api.machines.list.query();
      await ann.api.tokens.create.mutate({ name: `Desk ${viewport.width}`, scopes: ['filesystemRead'] });
      const moved: Record<string, number> = {};
      const small: Record<string, string[]> = {};
      for (const [path, last] of [
        ['/inbox', '[data-test=row]:has-text("Which feeds?")'],
        ['/activity', '[data-test=total]'],
        ['/activity?from=all&ruling=mode', '[data-test=total]'],
        [`/activity/${ended}`, '[data-test=steps]'],
        [`/chat/${ids.plain}`, '[data-test=usage]'],
        [`/chat/${ids.group}`, '[data-test=group]'],
        ['/agents', '[data-test=token-row]'],
        ['/machines', '[data-test=machine-row]'],
        [`/machines/${machine?.id}`, '[data-test=runtimes]'],
        ['/settings/account', '[data-test=session]'],
        ['/settings/chat', 'text=Remember across chats'],
        ['/settings/channels', '[data-test=channel] >> nth=3'],
        ['/settings/webhooks', '[data-test=hook-groups]'],
        ['/settings/server', 'text=Remote use for all accounts'],
      ] as const) {
        await fresh.goto(server.url + path);
        await fresh.locator(last).first().waitFor();
        await fresh.evaluate('new Promise((done) => requestIdleCallback(done))');
        const shift = await fresh.evaluate<number>('window.shift');
        if (shift >= 0.05) moved[path] = Number(shift.toFixed(3));
        const targets = viewport === phone ? await fresh.evaluate<string[]>(smallTargets) : [];
        if (targets.length > 0) small[path] = targets;
      }
      expect({ moved, small }).toEqual({ moved: {}, small: {} });
      await fresh.context().close();
    },
  );

  it('no page goes on below its end, with a long change on it', async () => {
    const below: Record<string, number> = {};
    for (const [name, path] of [
      ['inbox', `/inbox/${member}?group=1`],
      ['chat', `/chat/${ids.group}`],
    ] as const) {
      await follow(page, path);
      await page.locator('[data-test=member] [data-row=added]').last().waitFor({ state: 'attached' });
      below[name] = await page.evaluate<number>(
        'Math.round(document.scrollingElement.scrollHeight - scrollY - Math.max(innerHeight - scrollY, document.querySelector("main").getBoundingClientRect().bottom))',
      );
    }
    expect(below).toEqual({ inbox: 0, chat: 0 });
  });

  it('the spans of a lasting answer stand in one row, also on a small phone', async () => {
    await follow(page, `/inbox/${member}`);
    for (const width of [390, 320]) {
      await page.setViewportSize({ width, height: 844 });
      await page.locator('[data-test=more]').click();
      const spans = page.locator('[data-test=lasting] > div:has([data-scope]) >> nth=0 >> button');
      await spans.first().waitFor();
      const tops = await spans.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top));
      expect([width, tops.length, new Set(tops).size]).toEqual([width, 3, 1]);
      await page.keyboard.press('Escape');
    }
    await page.setViewportSize(wide);
  });

  it('the parts of the settings are in groups, and one list leads to them on a phone', async () => {
    await follow(page, '/settings/channels');
    const groups = page.getByRole('navigation', { name: 'Settings' }).locator('div > p');
    expect(await groups.allInnerTexts()).toEqual([
      'Your account',
      'This browser',
      'This server, all accounts',
    ]);
    await page.locator('[data-test=voice]').getByText('TRANSCRIPTION_URL').waitFor();
    const first = await boxOf(page.locator('[data-test=channel-first]'));
    const rows = page.locator('[data-test=channel]');
    expect(first.y).toBeLessThan((await boxOf(rows.first())).y);
    for (const row of await rows.all()) expect((await boxOf(row)).height).toBeLessThan(64);
    await page.setViewportSize({ width: 320, height: 640 });
    await page.getByLabel('Part of the settings').selectOption('Server');
    await page.getByText('Remote use for all accounts').waitFor();
    await follow(page, '/settings/account');
    await page.getByText('Let agents use my machines').waitFor();
    expect(await page.getByText('Remote use for all accounts').count()).toBe(0);
    await page.setViewportSize(wide);
  });

  it('a warning stands above what it warns of', async () => {
    await follow(page, `/inbox/${question}`);
    const warning = await boxOf(page.locator('[data-test=warning]'));
    const command = await boxOf(page.locator('[data-test=resource]'));
    expect(warning.y + warning.height).toBeLessThanOrEqual(command.y);
    // Its row says so too, and no other does.
    const warned = page.locator('[data-test=row]:has([data-test=warned])');
    expect(await warned.allInnerTexts()).toEqual([expect.stringContaining('echo a')]);
    // Icons of questions are grey: colour is kept for states.
    const tones = await page
      .locator('[data-test=row] > [class*=size-5]')
      .evaluateAll((all) => all.map((one) => getComputedStyle(one).color));
    expect([tones.length, new Set(tones).size]).toEqual([3, 1]);
    const keys = page.locator('[data-test=list-keys]');
    const [line, ...parts] = [
      await boxOf(keys),
      ...(await Promise.all((await keys.locator('> *').all()).map(boxOf))),
    ];
    const shown = parts.filter(({ y }) => y < line.y + line.height);
    expect(Math.max(...shown.map(({ x, width }) => x + width))).toBeLessThanOrEqual(line.x + line.width);
    expect(shown).toHaveLength(4);
  });

  it('an own message has its time and its buttons in sight, and what follows an answer is one line on a phone', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await follow(page, `/chat/${ids.plain}`);
    const own = page.locator('[data-role=user]').first();
    expect(await own.locator('[data-test=sent-at]').innerText()).toMatch(/^\d\d:\d\d$/);
    const edit = own.getByRole('button', { name: 'Edit and send again' });
    expect(await edit.locator('xpath=..').evaluate((one) => getComputedStyle(one).opacity)).toBe('1');
    const line = page.locator('[data-test=usage]').locator('xpath=..');
    const tops = await line
      .locator('> *')
      .evaluateAll((all) =>
        all.map((one) => one.getBoundingClientRect()).map((box) => box.y + box.height / 2),
      );
    expect(Math.max(...tops) - Math.min(...tops)).toBeLessThan(2);
    // With more than a window holds, the name of the chat stays.
    await follow(page, `/chat/${ids.group}`);
    await page.locator('[data-test=group]').waitFor();
    await page.evaluate('scrollTo(0, document.scrollingElement.scrollHeight)');
    const [head, bar] = [
      await boxOf(page.locator('[data-test=chat-head]')),
      await boxOf(page.locator('header').first()),
    ];
    expect(head).toMatchObject({ x: 0, y: bar.y + bar.height, width: 390 });
    const toEnd = page.locator('[data-test=to-end]');
    expect(await toEnd.count()).toBe(0);
    await page.evaluate('scrollTo(0, 0)');
    await toEnd.click();
    await toEnd.waitFor({ state: 'detached' });
    await page.setViewportSize(wide);
    // What can be done with a chat of the list is in sight when it is pointed at.
    const row = page.locator('[data-test=thread]').first();
    const opacity = () => row.locator('button').evaluate((one) => getComputedStyle(one).opacity);
    expect(await opacity()).toBe('0');
    await row.hover();
    expect(await opacity()).toBe('1');
  });

  it('the calls around a call are read whole on a small phone', async () => {
    await page.setViewportSize({ width: 320, height: 640 });
    await follow(page, `/activity/${ended}`);
    const texts = page.locator('[data-test=call-before] .truncate, [data-test=call-after] .truncate');
    await texts.first().waitFor();
    expect(
      await texts.evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth).length),
    ).toBe(0);
    await page.setViewportSize(wide);
  });

  it('the parts of the built-in agent say what is set, and open one by one', async () => {
    await follow(page, '/settings/server');
    const parts = page.locator('[data-test=part]');
    await parts.first().waitFor();
    expect(
      (await parts.locator('summary').allInnerTexts()).map((words) => words.replaceAll('\n', ': ')),
    ).toEqual([
      `Model: stub at ${model.url}`,
      expect.stringMatching(/^What it may do: \d ask/),
      'Prices and budgets: No prices · 10,000,000 tokens per day',
      'Services: None set',
    ]);
    expect(await page.getByRole('button', { name: 'Save' }).count()).toBe(0);
    await parts.nth(2).locator('summary').press('Enter');
    await page.locator('[name=tokensPerDay]').waitFor();
    expect(await page.getByRole('button', { name: 'Save' }).count()).toBe(1);
  });

  it('an invisible character is legible in the own message', async () => {
    await follow(page, `/chat/${ids.plain}`);
    await page.locator('[data-role=user] mark').waitFor();
    expect(await page.locator('[data-test=markdown] [data-task]').count()).toBe(2);
    for (const colorScheme of ['light', 'dark'] as const) {
      await showTheme(page, colorScheme);
      expect(await contrastFaults(page, 'main')).toEqual([]);
    }
    await page.emulateMedia({ colorScheme: 'light' });
  });

  it('the buttons of an agent stand together', async () => {
    const [token] = await ann.api.tokens.list.query();
    await follow(page, `/agents/${token?.id}`);
    const edit = await boxOf(page.locator('[data-test=edit]'));
    const revoke = await boxOf(page.locator('[data-test=revoke]'));
    expect(revoke.x - edit.x - edit.width).toBeLessThan(16);
  });

  it('the line above a page counts what the badge counts', async () => {
    await follow(page, '/machines');
    const badge = await page.locator('[data-test=nav-count]').first().innerText();
    expect(await page.locator('[data-test=strip]').innerText()).toMatch(
      new RegExp(`^${Number.parseInt(badge, 10)} waiting`),
    );
  });

  it('a machine says how many calls were asked about today, also those that were answered', async () => {
    await follow(page, '/machines');
    await page.locator('[data-test=machine-row]').getByText('5 asked').waitFor();
  });
});
