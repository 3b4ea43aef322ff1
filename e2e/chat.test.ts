import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Turn } from './agent/model-turn.ts';
import { startScriptedModel, type ScriptedModel } from './agent/scripted-model.ts';
import {
  connectDaemon,
  createProcesses,
  newFolder,
  openPage,
  startBrowser,
  startServer,
  until,
  widthFaults,
  type Person,
  type Server,
  axeFaults,
} from './harness/index.ts';
import { describeWith } from './services.ts';

const story = Array.from({ length: 40 }, (_, at) => `Chapter ${at} ends well. `);
const feeds = { id: 'feeds', question: 'Which feeds?', type: 'multi', options: ['RSS', 'Atom', 'None'] };
const unsafe = 'Done. <script>document.title = "run"</script> ![x](http://example.org/x.png)';
const syntaxFiles = `performance.getEntriesByType('resource').filter(({ name }) => /assets\\/syntax-/.test(name)).length`;
const readOne = { name: 'read_file', arguments: { filePath: 'a.txt' } };
const filesOf = (names: string[]) =>
  names.map((name) => ({
    name: 'write_file',
    arguments: { filePath: `posts/${name}.md`, content: `# ${name}\n` },
  }));
const code = 'So:\n\n```ts\n// The port.\nconst port = "8080";\n```\n';
const turns: [string, Turn][] = [
  ['Tell a story', { text: story, end: 'silent' }],
  ['Ask me', { calls: [{ name: 'ask-user', arguments: { questions: [feeds] } }] }],
  ['Write three', { calls: filesOf(['x', 'y', 'z']) }],
  ['Read twelve', { calls: Array.from({ length: 12 }, () => readOne) }],
  ['Show code', { text: code }],
];

describeWith('chromium')('the chat', () => {
  const processes = createProcesses();
  const root = join(newFolder('home'), 'site');
  const outside: string[] = [];
  let model: ScriptedModel;
  let server: Server;
  let ann: Person;
  let browser: Browser;
  let page: Page;

  const send = async (text: string) => {
    await page.getByRole('textbox', { name: 'Message' }).fill(text);
    await page.keyboard.press('Enter');
  };
  const lastRun = () => page.locator('[data-test=run]').last();

  beforeAll(async () => {
    mkdirSync(root);
    writeFileSync(join(root, 'a.txt'), 'one\n');
    model = await startScriptedModel(({ tools, body }, number) => {
      if (tools.length === 0) return { text: 'A file' };
      const turn = turns.find(([asked]) => JSON.stringify(body.messages.at(-1)).includes(asked));
      if (turn) return turn[1];
      const write = { name: 'write_file', arguments: { filePath: 'b.txt', content: 'hello' } };
      return number === 1 ? { text: 'I **write** it.', calls: [write] } : { text: unsafe };
    });
    server = await startServer(processes, { AGENT_MODEL: 'stub', AGENT_MODEL_URL: model.url });
    ann = await server.createOwner();
    await connectDaemon(processes, { person: ann, url: server.url, root });
    browser = await startBrowser();
    page = await openPage(browser, { person: ann });
    page.on('request', (request) => {
      if (!request.url().startsWith(server.url)) outside.push(request.url());
    });
    await page.goto(`${server.url}/chat`);
  });
  afterAll(async () => {
    await browser?.close();
    await model?.close();
    await processes.stopAll();
  });

  it('acceptance 3: shows the question of a call in its place, also after a reload, and closes it in every window', async () => {
    await send('Write b.txt');
    const allow = page.locator('[data-decision=allowOnce]:enabled');
    await allow.waitFor();
    expect(new URL(page.url()).pathname).toMatch(/^\/chat\/th_/);
    await page.reload();
    await allow.waitFor();
    expect(await page.locator('[data-test=markdown] strong').innerText()).toBe('write');
    expect(await page.locator('[data-test=confirmation]').count()).toBe(1);
    const inbox = await openPage(browser, { person: ann });
    await inbox.goto(new URL('/inbox', page.url()).href);
    await inbox.getByText('Create b.txt?').first().waitFor();
    await allow.click();
    await inbox.locator('[data-test=closed]').first().waitFor();
    await inbox.context().close();
    await page.locator('[data-test=usage]').waitFor();
    expect(readFileSync(join(root, 'b.txt'), 'utf8')).toBe('hello');
  });

  it('acceptance 19: SS-16 loads and runs nothing of what the model wrote', async () => {
    await page.getByText('<script>').waitFor();
    // No service for speech: nothing to press.
    expect(await page.locator('[data-test=record], [data-test^=listen]').count()).toBe(0);
    expect([outside, await page.locator('main img').count()]).toEqual([[], 0]);
    // The number of questions goes a moment after the answer.
    await expect.poll(() => page.title()).toBe('Chat · Drawbridge');
  });

  it('saves an attachment again', async () => {
    const buffer = Buffer.from('1,2\n');
    await page.locator('input[type=file]').setInputFiles({ name: 'sums.csv', mimeType: 'text/csv', buffer });
    await send('Read this');
    const saved = page.waitForEvent('download');
    await page.locator('[data-test=save-file]').click();
    expect((await saved).suggestedFilename()).toBe('sums.csv');
    const path = join(newFolder('saved'), 'sums.csv');
    await (await saved).saveAs(path);
    expect(readFileSync(path)).toEqual(buffer);
  });

  it('is found by a word of a message, in the list and by Ctrl+K', async () => {
    const search = page.getByRole('searchbox').filter({ visible: true });
    await search.fill('nowhere');
    await page.getByText('No chat has all of these words').waitFor();
    await search.fill('write b.txt');
    await expect.poll(() => page.locator('[data-test=thread]').count()).toBe(1);
    await page.keyboard.press('Control+k');
    await page.locator('[data-test=palette] input').fill('write b.txt');
    await page.getByRole('option', { name: 'A file' }).waitFor();
    await page.keyboard.press('Escape');
  });

  it('a question of the agent says in the inbox how it ended, answered there or not', async () => {
    const inbox = await openPage(browser, { person: ann });
    await inbox.goto(new URL('/inbox', page.url()).href);
    await send('Ask me');
    await page.setViewportSize({ width: 390, height: 844 });
    await page.locator('[data-test=ask] [data-test=deny]').waitFor();
    const heights = await page
      .locator('[data-test=ask] :is(button, textarea)')
      .evaluateAll((all) => all.map((part) => part.getBoundingClientRect().height));
    expect([heights.length, Math.min(...heights) >= 44]).toEqual([3, true]);
    await page.setViewportSize({ width: 1_280, height: 800 });
    // Its keys are those of an answer to a machine.
    const keys = inbox.locator('section[aria-labelledby=inbox-heading] kbd');
    await keys.first().waitFor();
    expect(await keys.allTextContents()).toEqual(['j', 'k', 'x', '?']);
    for (const name of ['RSS', 'Atom']) await inbox.getByLabel(name, { exact: true }).check();
    await inbox.getByRole('button', { name: 'Answer' }).click();
    await inbox.locator('[data-test=outcome-of]').getByText('Answered: RSS; Atom').waitFor();
    await page.getByText('1 question for you').waitFor({ state: 'detached' });
    await send('Ask me');
    await inbox.locator('[data-test=row]').filter({ hasText: 'Which feeds?' }).click();
    await inbox.getByRole('button', { name: 'Answer' }).waitFor();
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await inbox
      .locator('[data-test=outcome-of]')
      .getByText('Answered elsewhere, or no longer needed')
      .waitFor();
    await inbox.getByRole('link', { name: 'Open the chat' }).click();
    await inbox.waitForURL(page.url());
    await inbox.context().close();
  });

  it('like questions have one card, to which the line above the prompt leads, and which takes keys', async () => {
    await send('Write three');
    const group = page.locator('[data-test=group]');
    await group.getByRole('heading', { name: 'Write 3 files in posts?' }).waitFor();
    expect(await page.locator('[data-test=confirmation]').count()).toBe(0);
    expect(await lastRun().locator('[data-test=call]').count()).toBe(0);
    const reading = group.locator('[data-test=reading]');
    await reading.evaluate((element) => element.scrollTo(0, element.scrollHeight));
    await group.locator('[data-decision=allowOnce]:enabled').waitFor();
    await page.getByRole('button', { name: '3 questions for you' }).click();
    await page.keyboard.press('a');
    await group.waitFor({ state: 'detached' });
    const written = () => ['x', 'y', 'z'].map((name) => existsSync(join(root, `posts/${name}.md`)));
    await until(async () => !written().includes(false));
    await page.locator('[data-test=usage]').nth(1).waitFor();
  });

  it('all that a run changed is undone from the chat with one question, which shows each file back', async () => {
    const chat = page.url();
    writeFileSync(join(root, 'posts/y.md'), 'by hand');
    const undo = lastRun().getByRole('button', { name: 'Undo this run' });
    await undo.click();
    await page.getByText('Changed again since that call: posts/y.md').first().waitFor();
    expect(existsSync(join(root, 'posts/x.md'))).toBe(true);
    await page.getByRole('button', { name: 'Undo all the same' }).click();
    const question = page.locator('[data-test=confirmation]');
    await question
      .getByRole('heading', {
        name: 'Put back 3 files as they were before 3 calls, though changed again since: posts/y.md?',
      })
      .waitFor();
    expect(await question.locator('[data-row=file]').allInnerTexts()).toEqual(
      ['x', 'y', 'z'].map((name) => expect.stringContaining(`posts/${name}.md`)),
    );
    expect(await question.locator('[data-row=removed]').allInnerTexts()).toEqual([
      expect.stringContaining('# x'),
      expect.stringContaining('by hand'),
      expect.stringContaining('# z'),
    ]);
    const reading = question.locator('[data-test=reading]');
    await reading.evaluate((element) => element.scrollTo(0, element.scrollHeight));
    await question.locator('[data-decision=allowOnce]:enabled').click();
    await until(async () => !['x', 'y', 'z'].some((name) => existsSync(join(root, `posts/${name}.md`))));
    await page.goto(chat);
    await page.setViewportSize({ width: 390, height: 844 });
    const line = await page.locator('[data-test=usage]').nth(1).locator('xpath=..').boundingBox();
    expect([await undo.isVisible(), (line?.height ?? 0) < 50]).toEqual([true, true]);
    await page.setViewportSize({ width: 1_280, height: 800 });
  });

  it('Stop keeps what was written and counts it, also after a reload; Continue goes on from there', async () => {
    const today = async () => (await ann.api.agent.credits.query()).tokens;
    const before = await today();
    await send('Tell a story');
    await page.getByText('Chapter 39').waitFor();
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    const run = lastRun();
    for (const again of [false, true]) {
      if (again) await page.reload();
      await run.getByText('Stopped here.').waitFor();
      expect(await run.innerText()).toContain(story.join('').trim());
      expect(await run.locator('[data-test=usage]').innerText()).toMatch(/^about [1-9][\d,]* tokens · /);
    }
    expect(await today()).toBeGreaterThan(before + story.join('').length / 5);
    await run.locator('[data-test=again]').click();
    const hasRead = ({ role, content }: { role: string; content: unknown }) =>
      role === 'assistant' && JSON.stringify(content).includes('Chapter 39');
    await until(async () =>
      model.requests.some(({ tools, body }) => tools.length > 0 && body.messages.some(hasRead)),
    );
  });

  it('calls that have ended are one line, also after a reload, which shows them when it is opened', async () => {
    await send('Read twelve');
    await lastRun().getByText('Done.').waitFor();
    for (const again of [false, true]) {
      if (again) await page.reload();
      const fold = lastRun().locator('[data-test=calls]');
      await fold.getByText(/^12 calls/).waitFor();
      expect(await lastRun().locator('[data-test=call]').count()).toBe(0);
      await fold.getByRole('button').click();
      await expect.poll(() => lastRun().locator('[data-test=call]').count()).toBe(12);
    }
  });

  it('colours code when it is on screen, and loads the colours only then', async () => {
    const loaded = () => page.evaluate<number>(syntaxFiles);
    expect(await loaded()).toBe(0);
    await send('Show code');
    const block = lastRun().locator('[data-test=markdown] pre');
    await block.locator('[data-kind=keyword]').getByText('const').waitFor();
    await block.locator('[data-kind=string]').getByText('"8080"').waitFor();
    expect(await block.innerText()).toBe('// The port.\nconst port = "8080";\n');
    expect(await loaded()).toBe(1);
  });

  it('an answer is asked for again, and a message is changed and sent again', async () => {
    await lastRun().getByRole('button', { name: 'Ask again' }).click();
    await page.locator('[data-test=repeat] summary').getByText('Sent again: Show code').waitFor();
    await lastRun().locator('[data-test=usage]').waitFor();
    const own = page.locator('[data-role=user]').last();
    const box = page.getByRole('textbox', { name: 'Message' });
    await box.fill('Half');
    await own.getByRole('button', { name: 'Edit and send again' }).click();
    expect(await box.inputValue()).toBe('Show code');
    await page.locator('[data-test=editing]').waitFor();
    await page.keyboard.press('Escape');
    expect(await box.inputValue()).toBe('Half');
    await page.reload();
    expect(await box.inputValue()).toBe('Half');
    await own.getByRole('button', { name: 'Edit and send again' }).click();
    await box.press('End');
    await page.keyboard.type(', please');
    await page.keyboard.press('Enter');
    await page.locator('[data-role=user]').last().getByText('Show code, please').waitFor();
    expect(await box.inputValue()).toBe('Half');
    await lastRun().locator('[data-test=usage]').waitFor();
  });

  it('a message of one long word widens no phone', async () => {
    await send('w'.repeat(300));
    await page.getByText('w'.repeat(300)).waitFor();
    expect(await widthFaults(page)).toEqual([]);
    await page.setViewportSize({ width: 1_280, height: 800 });
  });

  it('while the server is away the bar hides the text under it; what failed before is not shown after it is back', async () => {
    await server.end('SIGKILL');
    await send('Show code');
    const failed = page.locator('[role=alert][data-code=UNREACHABLE]');
    await failed.waitFor();
    const bar = page.locator('header:has([data-test=away])');
    expect(await bar.evaluate((shown) => getComputedStyle(shown).backgroundColor)).not.toMatch(/rgba|\//);
    await server.restart();
    await failed.waitFor({ state: 'detached' });
    expect(await page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('Show code');
  });

  it('has no fault that axe finds', async () => {
    expect(await axeFaults(page)).toEqual([]);
  });

  it('its title stands above the messages, and a note about what was done does not cover the prompt', async () => {
    await page.setViewportSize({ width: 1_440, height: 800 });
    await ann.api.machines.pause.mutate({ machineId: null });
    await page.getByRole('button', { name: 'Resume' }).first().click();
    const boxOf = (selector: string) => page.locator(selector).first().boundingBox();
    const note = await boxOf('[data-slot=viewport] li');
    const prompt = await boxOf('form:has([data-test=prompt])');
    expect((note?.y ?? 0) + (note?.height ?? 0)).toBeLessThan(prompt?.y ?? 0);
    expect((await boxOf('[data-test=chat-title]'))?.x).toBe(prompt?.x);
  });
});
