import { createFakeClock } from '@drawbridge/kit';
import { expect, it } from 'vitest';
import { openStandIn, replyJson } from '../../test/http-stand-in.ts';
import { audioOf, openSpeechServer } from '../../test/speech-server.ts';
import { readConfig } from '../config.ts';
import { createSpeech } from './index.ts';
import { afterFailure, healthy, nextProvider } from './next-provider.ts';
import { toSpokenText } from './spoken-text.ts';

const environmentOf = (environment: Record<string, string>) => {
  const read = readConfig(environment, { terminal: false });
  if ('problem' in read) throw new Error(read.problem);
  return read.config;
};

const open = (environment: Record<string, string>) => {
  const clock = createFakeClock(1_000_000);
  const hidden: string[] = [];
  const warnings: string[] = [];
  const needs = {
    clock,
    environment: environmentOf(environment),
    hide: (secret: string) => void hidden.push(secret),
    warn: (sentence: string) => void warnings.push(sentence),
  };
  const { signal } = new AbortController();
  const speech = createSpeech(needs);
  const say = (text = 'Hello.') => speech.speak(text, { format: 'mp3', signal });
  return { clock, hidden, warnings, speech, say };
};

it('CH-28 asks the addresses in their order, and one that failed not again until it has cooled down', async () => {
  const [hangs, fails, html, works] = await Promise.all([1, 2, 3, 4].map(() => openSpeechServer()));
  if (!hangs || !fails || !html || !works) throw new Error('Not open');
  const all = [hangs, fails, html, works];
  hangs.answerFirst(() => undefined);
  fails.answerFirst((reply) => replyJson(reply, {}, 500));
  html.answerFirst((reply) => void reply.end('<html>'));
  const { clock, say, speech, warnings } = open({
    SPEECH_URL: all.map(({ url }) => `${url}/v1`).join(', '),
    SPEECH_API_KEY: all.map(() => 'voice-key').join(','),
    SPEECH_VOICE: 'a,b,c,d',
  });
  const said = say();
  await expect.poll(() => hangs.asked.length).toBe(1);
  clock.advance(30_000);
  expect(await said).toEqual({ bytes: audioOf('mp3'), mediaType: 'audio/mpeg' });
  expect(works.spoken).toEqual([{ model: 'tts-1', voice: 'd', input: 'Hello.', response_format: 'mp3' }]);
  expect(speech.health().map(({ isReady }) => isReady)).toEqual([false, false, false, true]);
  expect(warnings).toHaveLength(3);
  await say();
  expect(all.map(({ asked }) => asked.length)).toEqual([1, 1, 1, 2]);
  clock.advance(30_000);
  await say();
  expect(all.map(({ asked }) => asked.length)).toEqual([2, 1, 1, 2]);
});

it('CH-28 waits as it is told to, at most ten minutes, and ten for a key that is refused', async () => {
  const server = await openSpeechServer();
  const { clock, say, speech, warnings, hidden } = open(server.speech);
  const busy = (after: string) =>
    server.answerFirst((reply) => void reply.writeHead(429, { 'retry-after': after }).end());
  const asksAgainAfter = async (ms: number) => {
    expect(await say()).toBeNull();
    const before = server.asked.length;
    clock.advance(ms - 1);
    expect(await say()).toBeNull();
    expect(server.asked).toHaveLength(before);
    clock.advance(1);
  };
  busy('120');
  await asksAgainAfter(120_000);
  busy('86400');
  await asksAgainAfter(600_000);
  server.answerFirst((reply) => replyJson(reply, {}, 401));
  await asksAgainAfter(600_000);
  expect(await say()).not.toBeNull();
  expect(speech.health()).toEqual([{ name: new URL(server.url).host, isReady: true, problem: null }]);
  expect(hidden).toEqual(['voice-key']);
  expect(warnings.join('')).not.toContain('voice-key');
});

it('CH-28 what is too large, empty or behind a redirect is no audio, and the key goes nowhere else', async () => {
  const elsewhere = await openStandIn((_request, reply) => void reply.end(audioOf('mp3')));
  const server = await openSpeechServer();
  const { clock, say } = open(server.speech);
  server.answerFirst(
    (reply) => void reply.writeHead(307, { location: `${elsewhere.url}/v1/audio/speech` }).end(),
    (reply) => void reply.end(Buffer.concat([audioOf('mp3'), Buffer.alloc(8 * 1_024 * 1_024)])),
    (reply) => void reply.end(),
  );
  for (let at = 0; at < 3; at += 1) {
    expect(await say()).toBeNull();
    clock.advance(600_000);
  }
  expect(elsewhere.asked).toEqual([]);
  expect(await say()).not.toBeNull();
});

it('CH-28 all addresses together have a minute', async () => {
  const servers = await Promise.all([1, 2, 3].map(() => openSpeechServer()));
  for (const { answerFirst } of servers) answerFirst(() => undefined);
  const { clock, say } = open({ SPEECH_URL: servers.map(({ url }) => url).join(',') });
  const said = say();
  await expect.poll(() => servers[0]?.asked.length).toBe(1);
  clock.advance(30_000);
  await expect.poll(() => servers[1]?.asked.length).toBe(1);
  clock.advance(30_000);
  expect(await said).toBeNull();
  expect(servers[2]?.asked).toEqual([]);
});

it('CH-28 a stop ends it, and is no failure of the address', async () => {
  const server = await openSpeechServer();
  server.answerFirst(() => undefined);
  const { speech } = open(server.speech);
  const ending = new AbortController();
  const said = speech.speak('Hello.', { format: 'mp3', signal: ending.signal });
  await expect.poll(() => server.asked.length).toBe(1);
  ending.abort(new Error('Stopped'));
  await expect(said).rejects.toThrow('Stopped');
  expect(speech.health()).toMatchObject([{ isReady: true, problem: null }]);
});

it('cools down for longer after each failure, and counts those side by side once', () => {
  const failed = { problem: 'failed', waitMs: null };
  let health = healthy;
  let now = 0;
  const waits = Array.from({ length: 7 }, () => {
    health = afterFailure(health, failed, { startedAt: now, now });
    expect(afterFailure(health, failed, { startedAt: now, now })).toBe(health);
    const wait = health.coolUntil - now;
    now = health.coolUntil;
    return wait / 1_000;
  });
  expect(waits).toEqual([30, 60, 120, 240, 480, 600, 600]);
  expect(nextProvider([health, healthy], { now: now - 1, asked: [] })).toBe(1);
  expect(nextProvider([health, healthy], { now, asked: [0, 1] })).toBeNull();
});

it.each([
  ['# Two **words**\n\n- one\n- [two](https://a.example/b?c=d)', 'Two words\none\ntwo'],
  ['See https://a.example/x?secret=1 now', 'See a.example now'],
  ['Run:\n\n```sh\nrm -rf /\n```\n\nand `ls`', 'Run:\nCode block.\nand ls'],
  ['| a | b |\n|---|---|\n| 1 | 2 |', 'a\nb\n1\n2'],
  ['![alt](https://a.example/p.png)\n\n---', '!alt'],
  [' \n', ''],
  [`${'A sentence. '.repeat(400)}`, 'A sentence. '.repeat(333).trim()],
])('CH-28 says %j', (markdown, spoken) => {
  expect(toSpokenText(markdown)).toBe(spoken);
});

it.each([
  [{ SPEECH_API_KEY: 'k' }, 'SPEECH_API_KEY: one for each address'],
  [{ SPEECH_API_KEY: 'k,l,m' }, 'SPEECH_API_KEY: one for each address'],
  [{ SPEECH_MODEL: 'a,b,c' }, 'SPEECH_MODEL: one for all'],
  [{ SPEECH_VOICE: 'a,b,c' }, 'SPEECH_VOICE: one for all'],
  [{ SPEECH_URL: 'https://a.example,ftp://b.example' }, 'SPEECH_URL: '],
  [{ SPEECH_URL: Array.from({ length: 6 }, () => 'https://a.example').join(',') }, 'SPEECH_URL: '],
])('CH-28 a key for several addresses is refused: %j', (more, problem) => {
  const environment = { SPEECH_URL: 'https://a.example,https://b.example', ...more };
  const read = readConfig(environment, { terminal: false });
  expect('problem' in read ? read.problem : '').toContain(problem);
  expect(readConfig({ ...environment, SPEECH_URL: 'https://a.example', SPEECH_API_KEY: '' })).toBeDefined();
});
