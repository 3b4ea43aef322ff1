import type { Page } from 'playwright-core';
import { afterAll, expect, it } from 'vitest';
import { replyJson } from '../apps/server/test/http-stand-in.ts';
import { openSpeechServer } from '../apps/server/test/speech-server.ts';
import { startScriptedModel } from './agent/scripted-model.ts';
import {
  createProcesses,
  openPage,
  otherHost,
  owner,
  startBrowser,
  startServer,
  until,
  widthFaults,
} from './harness/index.ts';
import { describeWith } from './services.ts';

/** Silence that a browser plays. */
const wavOf = (seconds: number): Buffer => {
  const rate = 8_000;
  const bytes = Buffer.alloc(44 + seconds * rate, 128);
  bytes.write('RIFF', 0);
  bytes.writeUInt32LE(bytes.length - 8, 4);
  bytes.write('WAVEfmt ', 8);
  bytes.writeUInt32LE(16, 16);
  bytes.writeUInt16LE(1, 20);
  bytes.writeUInt16LE(1, 22);
  bytes.writeUInt32LE(rate, 24);
  bytes.writeUInt32LE(rate, 28);
  bytes.writeUInt16LE(1, 32);
  bytes.writeUInt16LE(8, 34);
  bytes.write('data', 36);
  bytes.writeUInt32LE(bytes.length - 44, 40);
  return bytes;
};
/** Time passes by `shiftMs`, and no timer of the page fires earlier. */
const shiftedClock = `
  window.shiftMs = 0;
  const now = Date.now.bind(Date);
  Date.now = () => now() + shiftMs;`;

describeWith('chromium')('voice in the panel', () => {
  const programs = createProcesses();
  afterAll(() => programs.stopAll());

  const open = async (environment: Record<string, string> = {}) => {
    const model = await startScriptedModel(({ tools }) =>
      tools.length === 0 ? { text: 'Weather' } : { text: 'It is **warm**.' },
    );
    const server = await startServer(programs, {
      AGENT_MODEL: 'stub',
      AGENT_MODEL_URL: model.url,
      ...environment,
    });
    const ann = await server.createOwner();
    const browser = await startBrowser();
    const close = async () => {
      await browser.close();
      await model.close();
    };
    return { model, server, ann, browser, close };
  };
  const promptOf = (page: Page) => page.getByRole('textbox', { name: 'Message' });
  const record = async (page: Page) => {
    await page.locator('[data-test=record]').click();
    await page.locator('[data-test=recording]').waitFor();
  };

  it('CH-40 what was said stands in the prompt until the person sends it, and answers are read out', async () => {
    const service = await openSpeechServer('is it warm?');
    const { model, server, ann, browser, close } = await open({ ...service.environment, ...service.speech });
    const page = await openPage(browser, { person: ann });
    const complaints: string[] = [];
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => {
      if (/Content Security Policy|Permissions|Refused to/i.test(message.text()))
        complaints.push(message.text());
    });
    try {
      const response = await page.goto(`${server.url}/chat`);
      expect(response?.headers()['permissions-policy']).toContain('microphone=(self)');

      // Escape leaves nothing.
      await record(page);
      expect(await page.locator('[data-test=recording]').innerText()).toMatch(/^0:0\d of 5:00$/);
      await page.keyboard.press('Escape');
      await page.locator('[data-test=record]').waitFor();
      expect([service.asked.length, await promptOf(page).inputValue()]).toEqual([0, '']);

      // By the keyboard alone.
      await promptOf(page).fill('Tell me,');
      await page.locator('[data-test=record]').focus();
      await page.keyboard.press('Enter');
      await page.locator('[data-test=record-done]:focus').waitFor();
      await until(async () => !(await page.locator('[data-test=recording]').innerText()).startsWith('0:00'));
      await page.keyboard.press('Enter');
      await until(async () => (await promptOf(page).inputValue()) === 'Tell me, is it warm?');
      const [heard] = service.heard as { file: { name: string; text: string } }[];
      expect(heard?.file.name).toBe('voice.webm');
      expect(heard?.file.text.length).toBeGreaterThan(1_000);
      expect(heard?.file.text.length).toBeLessThan(64_000);
      expect(model.requests).toHaveLength(0);
      await promptOf(page).press('Enter');
      await page.locator('[data-test=usage]').waitFor();
      expect(JSON.stringify(model.requests[0]?.body.messages.at(-1))).toContain('Tell me, is it warm?');

      // Stop ends the audio, and so does its end.
      service.answerFirst((reply) => void reply.end(wavOf(60)));
      await page.locator('[data-test=listen-idle]').click();
      await page.locator('[data-test=listen-playing]').click();
      await page.locator('[data-test=listen-idle]').waitFor();
      service.answerFirst((reply) => void reply.end(wavOf(1)));
      await page.locator('[data-test=listen-idle]').click();
      await page.locator('[data-test=listen-playing]').waitFor();
      await page.locator('[data-test=listen-idle]').waitFor();
      const spoken = service.asked.filter(({ path }) => path.endsWith('/audio/speech'));
      expect(spoken.map(({ body }) => JSON.parse(body).input)).toEqual(['It is warm.', 'It is warm.']);
      // Bytes that are no sound.
      await page.locator('[data-test=listen-idle]').click();
      await page.getByText('cannot play this audio').waitFor();

      // A cancelled one is not waited for; one that fails says why.
      service.answerFirst(() => undefined);
      await record(page);
      await page.locator('[data-test=record-done]').click();
      await page.locator('[data-test=understanding]').waitFor();
      await page.locator('[data-test=record-cancel]').click();
      service.answerFirst((reply) => replyJson(reply, {}, 401));
      await record(page);
      expect(await widthFaults(page)).toEqual([]);
      await page.locator('[data-test=record-done]').click();
      await page.getByText('the transcription service refuses its key').waitFor();
      expect(await promptOf(page).inputValue()).toBe('');
      expect(complaints).toEqual([]);

      await page.goto(`${server.url}/settings/channels`);
      await page.locator('[data-test=voice]').getByText('press the microphone').waitFor();
    } finally {
      await close();
    }
  });

  it('CH-40 a recording stops after five minutes, and a page without https says why it cannot record', async () => {
    const service = await openSpeechServer('a long story');
    const { server, ann, browser, close } = await open(service.environment);
    const page = await openPage(browser, { person: ann });
    try {
      await page.addInitScript({ content: shiftedClock });
      await page.goto(`${server.url}/chat`);
      await record(page);
      const shown = page.locator('[data-test=recording]');
      await until(async () => !(await shown.innerText()).startsWith('0:00'));
      await page.evaluate('shiftMs = 290_000');
      await until(async () => (await shown.innerText()).startsWith('4:5'));
      expect(service.asked).toHaveLength(0);
      await page.evaluate('shiftMs = 300_000');
      await until(async () => (await promptOf(page).inputValue()) === 'a long story');
      // No speech server: nothing to press.
      expect(await page.locator('[data-test^=listen]').count()).toBe(0);

      await page.goto(`http://${otherHost}:${new URL(server.url).port}/sign-in`);
      await page.locator('[name=email]').fill(owner.email);
      await page.locator('[name=password]').fill(owner.password);
      await page.keyboard.press('Enter');
      await page.getByRole('link', { name: 'Chat' }).first().click();
      await page.locator('[data-test=record]').click();
      await page.getByText('Browsers offer the microphone on https pages only').waitFor();
    } finally {
      await close();
    }
  });
});
