import { createFakeClock, systemClock } from '@drawbridge/kit';
import { expect, it } from 'vitest';
import { requestsOf, story, textOf, use } from '../../../test/agent-turns.ts';
import { withAgent } from '../../../test/agent.ts';
import { hello, pairedChannel, type Turns } from '../../../test/channel-world.ts';
import { openTelegram, refuse } from '../../../test/telegram.ts';
import type { AccountsStore } from '../accounts.store.ts';
import { createCursor } from './poll.ts';

const whoami = expect.stringContaining('You are Alice');
const slow = { timeout: 45_000 };

/** Alice is paired, and time stands still until it is moved. */
const stillWorld = async (turns: Turns = hello) => {
  const telegram = await openTelegram();
  const clock = createFakeClock(systemClock.now());
  const { panel, model } = await withAgent(story(turns), telegram.environment, clock);
  const { code } = await panel.channels.codes.create.mutate({ kind: 'telegram' });
  telegram.say(`/start ${code}`);
  await expect.poll(() => telegram.texts().at(-1)).toContain('You are paired');
  telegram.sent.length = 0;
  const asked = (method: string) => telegram.asked.filter(({ path }) => path.endsWith(`/${method}`)).length;
  return { telegram, clock, model, asked, state: async () => (await panel.channels.list.query())[0] };
};

it('CH-05 a poll that hangs is left after 35 s, and one that has to wait 7 s waits 7 s', async () => {
  const { telegram, clock, asked, state } = await stillWorld();
  const hangs = Promise.withResolvers<void>();
  telegram.answerFirst('getUpdates', () => hangs.resolve());
  telegram.say('/whoami');
  await hangs.promise;
  await expect.poll(() => telegram.texts()).toEqual([whoami]);
  const polls = asked('getUpdates');
  telegram.say('/whoami');
  clock.advance(34_000);
  expect(asked('getUpdates')).toBe(polls);
  await expect
    .poll(() => {
      clock.advance(500);
      return telegram.texts().length;
    })
    .toBe(2);

  telegram.answerFirst('getUpdates', refuse(429, 'Too Many Requests', { retry_after: 7 }));
  telegram.say('/whoami');
  const waits = { state: 'working', problem: 'Telegram asks to wait' };
  await expect.poll(state).toMatchObject(waits);
  const before = asked('getUpdates');
  clock.advance(6_900);
  expect(await state()).toMatchObject(waits);
  expect(asked('getUpdates')).toBe(before);
  clock.advance(200);
  await expect.poll(() => asked('getUpdates')).toBeGreaterThan(before);
  await expect.poll(() => telegram.texts().length).toBe(3);
});

it('CH-05 after six days without messages the position is left out: numbers may begin anew', async () => {
  const clock = createFakeClock(10_000_000_000);
  const account = { cursor: '7', cursorAt: clock.now() };
  const accounts = { read: async () => account } as unknown as AccountsStore;
  const cursor = createCursor({ kind: 'telegram', clock, accounts });
  clock.advance(6 * 24 * 3_600_000);
  expect(await cursor()).toBe('7');
  clock.advance(1);
  expect(await cursor()).toBe(null);
});

it('CH-25 while Telegram is away for 20 minutes the state says so, tries are bounded, and then all goes on', async () => {
  const { telegram, clock, asked, state } = await stillWorld();
  const away = () => Array.from({ length: 500 }, () => refuse(502, 'Bad Gateway'));
  telegram.answerFirst('sendMessage', ...away());
  telegram.deliver(telegram.message('/whoami'), telegram.message('/help'));
  await expect.poll(() => asked('sendMessage')).toBeGreaterThan(1);
  telegram.answerFirst('getUpdates', ...away());
  const before = asked('sendMessage');
  const endsAt = clock.now() + 20 * 60_000;
  await expect
    .poll(() => {
      clock.advance(30_000);
      return clock.now() >= endsAt;
    }, slow)
    .toBe(true);
  expect(await state()).toMatchObject({ state: 'unreachable', problem: 'Telegram has a problem' });
  expect(asked('sendMessage') - before).toBeLessThanOrEqual(16);
  telegram.answerFirst('getUpdates');
  telegram.answerFirst('sendMessage', ...away().slice(0, 3));
  telegram.deliver(telegram.message('/whoami'), telegram.message('Hi'));
  await expect
    .poll(() => {
      clock.advance(2_000);
      return telegram.texts().slice(-2);
    }, slow)
    .toEqual([whoami, 'Hello <strong>Alice</strong>.']);
  expect(await state()).toMatchObject({ state: 'working', problem: null });
});

it('CH-36 a message is run whether the clock of this server is an hour early or late', async () => {
  const { telegram, clock } = await stillWorld();
  const now = Math.floor(clock.now() / 1_000);
  for (const [count, off] of [-3_600, 3_600].entries()) {
    telegram.say('Hi', { date: now + off });
    await expect.poll(() => telegram.texts().length, slow).toBe(count + 1);
  }
  expect(telegram.texts().every((text) => text.startsWith('Hello'))).toBe(true);
});

it('CH-20 a flood of one sender and of strangers reaches nothing, and another chat goes on', async () => {
  const { telegram, model, say, until } = await pairedChannel();
  const stranger = (at: number) => ({
    from: { id: 10_000 + at, is_bot: false, first_name: 'S' },
    chat: { id: 10_000 + at, type: 'private' },
  });
  const flood = [
    ...Array.from({ length: 1_000 }, (_, at) => telegram.message(`/whoami ${at}`)),
    ...Array.from({ length: 300 }, (_, at) => telegram.message('Hi', stranger(at))),
  ];
  telegram.deliver(...flood);
  const last = telegram.message('/stop').message;
  await say('Hello from the panel');
  await until('run-finish');
  telegram.deliver({ message: last });
  await expect.poll(() => telegram.texts().at(-1), { timeout: 60_000 }).toBe('Nothing is running.');
  const told = (words: string) => telegram.texts().filter((text) => text.includes(words)).length;
  expect(told('You are Alice')).toBe(20);
  expect(told('too many messages')).toBe(1);
  expect(told('answers paired people')).toBeLessThanOrEqual(20);
  expect(requestsOf(model.requests)).toHaveLength(1);
}, 90_000);

it('CH-19 /stop ends a run whose question waits, and one in a flood', async () => {
  const turns: Turns = () =>
    use('ask-user', { questions: [{ id: 'q', question: 'Which one?', type: 'text' }] });
  const { telegram } = await pairedChannel(turns);
  telegram.say('Choose');
  await expect.poll(() => telegram.texts().at(-1)).toContain('has a question for you');
  telegram.deliver(...Array.from({ length: 40 }, (_, at) => telegram.message(`/whoami ${at}`)));
  telegram.say('/stop');
  await expect.poll(() => telegram.texts(), slow).toContain('Stopped.');
});

it('CH-19 the policy of the channel says what happens to messages while a run works', async () => {
  const go = Promise.withResolvers<void>();
  const { telegram, model, server } = await pairedChannel(async (_request, number) => {
    if (number === 1) await go.promise;
    return { text: `Answer ${number}.` };
  });
  const queue = { channels: { telegram: { mode: 'collect', cap: 2, overflow: 'drop_new' } } } as const;
  await server.app.settings.patch({ queue });
  telegram.say('one');
  await model.request(1);
  telegram.deliver(telegram.message('two'), telegram.message('three'), telegram.message('four'));
  await expect.poll(() => telegram.texts().at(-1)).toContain('Too many messages wait');
  go.resolve();
  await expect.poll(() => telegram.texts().slice(1)).toEqual(['Answer 1.', 'Answer 2.']);
  const second = textOf(requestsOf(model.requests)[1]!);
  for (const text of ['two', 'three']) expect(second).toContain(text);
  expect(second).not.toContain('four');
});

it.each([
  ['steer', 'the run that works reads it', ['I have read it.']],
  ['interrupt', 'it ends that run', ['Stopped.', 'I have read it.']],
] as const)(
  'CH-19 a message that comes meanwhile, where the channel has %s: %s',
  async (mode, _what, texts) => {
    const { telegram, model, server } = await pairedChannel((request) =>
      textOf(request).includes('meanwhile')
        ? { text: 'I have read it.' }
        : use('canvas_put', { artifactId: 'a', type: 'note', content: { markdown: 'x' } }),
    );
    await server.app.settings.patch({ queue: { channels: { telegram: { mode } } } });
    telegram.say('Go on until I write');
    await model.request(1);
    telegram.say('meanwhile');
    await expect.poll(() => telegram.texts()).toEqual(texts);
  },
);
