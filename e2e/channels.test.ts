import type { Page } from 'playwright-core';
import { afterAll, expect, it } from 'vitest';
import { systemClock } from '@drawbridge/kit';
import { gmailClient, mailboxAddress, openGmail } from '../apps/server/test/gmail.ts';
import { botToken, openTelegram } from '../apps/server/test/telegram.ts';
import { startScriptedModel } from './agent/scripted-model.ts';
import {
  createProcesses,
  openPage,
  startBrowser,
  startServer,
  until,
  widthFaults,
  axeFaultsInThemes,
} from './harness/index.ts';
import { describeWith } from './services.ts';

/** What the page was kept from, by its policy. */
const watchPolicy = async (page: Page): Promise<string[]> => {
  const found: string[] = [];
  await page.exposeFunction('noteViolation', (words: string) => void found.push(words));
  const content = `document.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI, sourceFile }) =>
    noteViolation([location.pathname, effectiveDirective, blockedURI, sourceFile].join(' ')));`;
  await page.addInitScript({ content });
  return found;
};

type Telegram = Awaited<ReturnType<typeof openTelegram>>;

const run = 'document.title=1';
const scripts = [
  `[one](javascript:${run})`,
  `[two](JaVa\tScRiPt&colon;${run})`,
  `[three](data:text/html,<script>parent.${run}</script>)`,
  `[four](vbscript:${run}) <javascript:${run}>`,
  `![five](javascript:${run}) ![six](data:image/svg+xml,<svg/onload=${run}>)`,
  `<a href="javascript:${run}">seven</a> <img src=x onerror="${run}">`,
  `<svg onload="${run}"></svg><iframe srcdoc="<script>parent.${run}</script>"></iframe>`,
  `<script>${run}</script><form action="javascript:${run}"><button>eight</button></form>`,
].join('\n\n');

/** A message with scripts in its addresses, and an answer that repeats it, are read as text. */
const readScripts = async (page: Page, telegram: Telegram) => {
  const sent = telegram.sent.length;
  telegram.say(scripts);
  await until(async () => telegram.sent.length > sent);
  await page.setViewportSize({ width: 1_280, height: 800 });
  await page.goto(new URL('/chat', page.url()).href);
  await page.locator('[data-test=thread]').filter({ hasText: 'Groceries' }).first().click();
  const chat = page.locator('main');
  await chat.getByText('eight').nth(1).waitFor();
  for (const element of await chat.getByText(/^(one|two|three|four|seven|eight)$/).all())
    await element.click({ force: true });
  const acting =
    'a[href]:not([href^="http"], [href^="/"], [href^="#"]), iframe, script, form[action], svg[onload]';
  expect(await chat.locator(acting).count()).toBe(0);
  expect(await chat.locator('img').count()).toBe(0);
  expect(await page.title()).toBe('Chat · Drawbridge');
};

/** Rules by the keyboard: added, moved, edited, and what one of them does. */
const tryRules = async (page: Page, telegram: Telegram) => {
  const rules = page.locator('[data-test=rule]');
  const form = page.locator('[data-test=new-rule]');
  await page.locator('[data-test=no-rules]').waitFor();
  const add = async () => {
    await page.getByRole('button', { name: 'Add a rule' }).press('Enter');
    await form.waitFor();
  };
  await add();
  expect(await form.getByRole('button', { name: 'Add', exact: true }).isDisabled()).toBe(true);
  await form.getByLabel('What the agent is told').fill('Write it shorter.');
  expect(await widthFaults(page)).toEqual([]);
  expect(await axeFaultsInThemes(page)).toEqual([]);
  await page.keyboard.press('Tab');
  await form.getByRole('button', { name: 'Add', exact: true }).press('Enter');
  await rules.filter({ hasText: 'Tells the agent: Write it shorter.' }).waitFor();
  await add();
  await form.getByLabel('When', { exact: true }).selectOption('message');
  await form.getByLabel('From', { exact: true }).selectOption({ label: 'Alice' });
  await form.getByLabel('Contains').fill('thanks');
  await form.getByLabel('Then', { exact: true }).selectOption('ignore');
  await form.getByRole('button', { name: 'Add', exact: true }).press('Enter');
  await rules.nth(1).filter({ hasText: 'A message with “thanks” from Alice' }).waitFor();
  await page.getByRole('button', { name: 'Move up: A message' }).press('Enter');
  await rules.nth(0).filter({ hasText: 'Keeps it from the agent' }).waitFor();
  await page.getByRole('button', { name: 'Edit A message' }).press('Enter');
  await rules.nth(0).getByLabel('Then', { exact: true }).selectOption('react');
  await rules.nth(0).getByLabel('The emoji to put').selectOption('🎉');
  await rules.nth(0).getByRole('button', { name: 'Save', exact: true }).press('Enter');
  await rules.nth(0).filter({ hasText: 'Puts 🎉 on it' }).waitFor();
  expect(await widthFaults(page)).toEqual([]);
  const sent = telegram.sent.length;
  telegram.react(['👎']);
  await until(async () => telegram.sent.length > sent);
  telegram.say('Thanks');
  await until(async () => telegram.reacted.length === 1);
  await page.getByRole('button', { name: 'Remove 👎' }).press('Enter');
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).press('Enter');
  await expect.poll(() => rules.count()).toBe(1);
};

/** A mailbox, by Google's page and back; first without the client's redirect URI, then refused, then allowed. */
const connectMailbox = async (page: Page, { consent }: Awaited<ReturnType<typeof openGmail>>) => {
  const card = page.locator('[data-test=channel]').filter({ hasText: 'Gmail' });
  await card.getByRole('button', { name: 'Set up Gmail' }).click();
  // Fields of the other mode are folded, and values for Google's pages have copy buttons.
  await card.getByRole('button', { name: 'Copy the redirect URI' }).click();
  await card.getByText('Copied').waitFor();
  const topic = card.getByLabel('Topic', { exact: true });
  expect(await topic.isVisible()).toBe(false);
  await card.getByText('Only where the platform posts them (3 fields)').click();
  await topic.waitFor();
  const connect = card.getByRole('button', { name: 'Connect with Google', exact: true });
  expect(await connect.isDisabled()).toBe(true);
  await card.getByLabel('Client id', { exact: true }).fill(gmailClient.id);
  await card.getByLabel('Client secret', { exact: true }).fill(gmailClient.secret);
  await connect.click();
  await page.getByText('Error 400: redirect_uri_mismatch').waitFor();
  await page.goBack();
  await card.getByRole('button', { name: 'Set up Gmail' }).click();
  const redirect = `${new URL(page.url()).origin}/channels/gmail/callback`;
  await card.locator('[data-test=channel-steps]').getByText(redirect).waitFor();
  consent.allowRedirect(redirect);
  await page.setViewportSize({ width: 390, height: 844 });
  // The client is known already.
  await connect.click();
  await page.getByRole('link', { name: 'Cancel' }).click();
  const note = card.locator('[data-test=consent]');
  await note.filter({ hasText: 'You did not allow it' }).waitFor();
  const inView = `document.querySelector('[data-test=consent]').getBoundingClientRect().bottom < innerHeight`;
  await until(async () => page.evaluate<boolean>(inView));
  expect(new URL(page.url()).search).toBe('');
  expect(await widthFaults(page)).toEqual([]);
  expect(await axeFaultsInThemes(page)).toEqual([]);
  await connect.click();
  await page.getByRole('link', { name: 'Continue' }).click();
  await note.filter({ hasText: `Connected as ${mailboxAddress}.` }).waitFor();
  expect(await widthFaults(page)).toEqual([]);
  expect(await axeFaultsInThemes(page)).toEqual([]);
  await page.setViewportSize({ width: 1_280, height: 800 });
  await page.reload();
  await card.getByRole('button', { name: 'Connect with Google again' }).waitFor();
  expect(await note.count()).toBe(0);
  await card.getByRole('button', { name: 'Switch off' }).click();
  await card.getByRole('button', { name: 'Set up Gmail' }).waitFor();
};

describeWith('chromium')('Telegram', () => {
  const programs = createProcesses();
  afterAll(() => programs.stopAll());

  it('CH-03, CH-23, CH-45 is set up and paired on the page Channels, and answers once after the server was killed', async () => {
    const telegram = await openTelegram();
    const gmail = await openGmail(systemClock);
    const held = Promise.withResolvers<void>();
    const model = await startScriptedModel(async ({ tools, body }) => {
      if (tools.length === 0) return { text: 'Groceries' };
      await held.promise;
      if (JSON.stringify(body.messages.at(-1)).includes('javascript:')) return { text: scripts };
      return { text: 'Milk and **bread**.' };
    });
    const server = await startServer(programs, {
      AGENT_MODEL: 'stub',
      AGENT_MODEL_URL: model.url,
      TELEGRAM_API_URL: telegram.url,
      GOOGLE_API_URL: gmail.environment.GOOGLE_API_URL,
    });
    const ann = await server.createOwner();
    const browser = await startBrowser();
    const page = await openPage(browser, { person: ann });
    const violations = await watchPolicy(page);
    try {
      await page.goto(`${server.url}/settings/channels`);
      await connectMailbox(page, gmail);
      const card = page.locator('[data-test=channel]').filter({ hasText: 'Telegram' });
      await page.getByRole('button', { name: 'Set up Telegram' }).click();
      await card.getByText('@BotFather').waitFor();
      await card.getByLabel('Token of the bot').fill('my bot');
      await card.getByRole('button', { name: 'Connect', exact: true }).click();
      await card.getByText('Token of the bot: must be the token that BotFather shows').waitFor();
      await card.getByLabel('Token of the bot').fill(botToken);
      await card.getByRole('button', { name: 'Connect', exact: true }).click();
      await card.locator('[data-test=channel-state]').filter({ hasText: 'Working' }).waitFor();
      await page.getByLabel('Read files').check();
      await page.getByRole('button', { name: 'Make a code' }).click();
      const code = page.locator('[data-test=channel-code]');
      const letters = (await code.locator('pre').innerText()).trim();
      expect(await code.getByRole('link', { name: 'Open in Telegram' }).getAttribute('href')).toBe(
        `https://t.me/stand_in_bot?start=${letters}`,
      );
      telegram.say(`/start ${letters}`);
      const sender = page.locator('[data-test=sender]').filter({ hasText: 'Alice' });
      await sender.filter({ hasText: 'Read files' }).waitFor();
      await card.getByLabel('Questions in the chat').selectOption('once');
      await page.getByRole('button', { name: 'Edit Alice' }).click();
      await sender.getByLabel('Questions in the chat').selectOption('deny');
      expect(await sender.getByLabel('Voice').inputValue()).toBe('voice');
      await sender.getByLabel('Voice').selectOption('always');
      expect(await widthFaults(page)).toEqual([]);
      await page.getByRole('button', { name: 'Save', exact: true }).last().click();
      await sender.filter({ hasText: 'buttons: Deny' }).waitFor();
      await page.getByRole('button', { name: 'Edit Alice' }).click();
      expect(await sender.getByLabel('Voice').inputValue()).toBe('always');
      await sender.getByRole('button', { name: 'Cancel' }).click();

      telegram.say('What shall I buy?');
      await model.request(1);
      await server.end('SIGKILL');
      held.resolve();
      await server.restart();
      await until(async () => telegram.texts().includes('Milk and <strong>bread</strong>.'));
      telegram.say('/whoami');
      await until(async () => telegram.texts().at(-1)?.startsWith('You are Alice') === true);
      expect(telegram.texts().filter((text) => text.startsWith('Milk'))).toHaveLength(1);

      const mention = { type: 'mention', offset: 0, length: 13 };
      // Of others: shown as it is written, without what would turn the text around.
      const markup = ' <img src=x onerror="document.title=1"> ![x](https://x.example/y)';
      const inTeam = {
        chat: { id: -5, type: 'supergroup', title: `\u202eTeam${markup}` },
        entities: [mention],
      };
      telegram.say('@stand_in_bot hi', inTeam);
      const group = page.locator('[data-test=group]').filter({ hasText: 'Team' });
      await page.getByRole('button', { name: 'Turn on Team' }).click();
      expect(await group.innerText()).toContain(`Team${markup.slice(0, 50)}`);
      expect(await group.locator('img').count()).toBe(0);
      await group.getByLabel('Read files').check();
      expect(await widthFaults(page)).toEqual([]);
      expect(await axeFaultsInThemes(page)).toEqual([]);
      await group.getByRole('button', { name: 'Turn on', exact: true }).click();
      await group.filter({ hasText: 'On. Read files' }).waitFor();
      telegram.say('@stand_in_bot what shall we buy?', inTeam);
      await until(async () => telegram.sent.at(-1)?.chat_id === '-5');
      await page.getByRole('button', { name: 'Edit Team' }).click();
      await group.getByRole('button', { name: 'Turn off' }).click();
      await group.filter({ hasText: 'Off' }).waitFor();

      await tryRules(page, telegram);
      await readScripts(page, telegram);
      expect(violations).toEqual([]);
      await page.goto(`${server.url}/settings/channels`);
      await page.getByRole('button', { name: 'Remove Alice' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
      await page.locator('[data-test=no-senders]').waitFor();
    } finally {
      await browser.close();
      await model.close();
    }
    // One walk through the page, with its stand-ins: 45 s alone, three times that beside other files.
  }, 300_000);
});
