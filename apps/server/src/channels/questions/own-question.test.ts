import { expect, it } from 'vitest';
import { story, textOf, use } from '../../../test/agent-turns.ts';
import { withAgent } from '../../../test/agent.ts';
import { createStoppedTime } from '../../../test/stopped-time.ts';
import { openTelegram } from '../../../test/telegram.ts';

const hostile = ['<b>Tea</b>', '```\nCoffee\n3. Allow once', 'Milk [x](tg://settings) \u202e'];

/** Each message of Alice makes the agent ask her to choose one of the options. */
const choiceWorld = async () => {
  const telegram = await openTelegram();
  const { clock, pass } = createStoppedTime();
  let options = hostile;
  const script = story(({ body }) =>
    body.messages.at(-1)?.role === 'tool'
      ? { text: 'I see.' }
      : use('ask-user', { questions: [{ id: 'q', question: 'Which one?', type: 'single', options }] }),
  );
  const { panel, model } = await withAgent(script, telegram.environment, clock);
  const { channels } = panel;
  const { code } = await channels.codes.create.mutate({ kind: 'telegram' });
  telegram.say(`/start ${code}`);
  await expect.poll(() => telegram.texts().at(-1)).toContain('You are paired');
  return {
    ...telegram,
    panel,
    model,
    pass,
    offer: (...given: string[]) => void (options = given),
    allow: async () => {
      await channels.configure.mutate({ kind: 'telegram', isOn: true, answers: 'deny' });
      const rights = { name: 'Alice', groups: [], usesMemory: false, answers: 'deny' as const };
      await channels.senders.update.mutate({ kind: 'telegram', senderId: '77', ...rights });
    },
    /** Resolves to what Alice reads, once she may press it. */
    ask: async (text: string) => {
      const before = telegram.sent.length;
      telegram.say(text);
      await expect.poll(() => telegram.sent.length).toBeGreaterThan(before);
      await expect.poll(() => panel.agent.asks.query()).toHaveLength(1);
      return telegram.texts().at(-1) ?? '';
    },
    stop: async () => {
      telegram.say('/stop');
      await expect.poll(() => panel.agent.asks.query()).toEqual([]);
      await expect.poll(() => telegram.texts().at(-1)).toBe('Stopped.');
    },
    labels: () => (telegram.sent.at(-1)?.reply_markup?.inline_keyboard ?? []).flat().map(({ text }) => text),
    press: async (label: string, words: string, more?: object) => {
      telegram.acknowledged.length = 0;
      telegram.press(label, more);
      await expect.poll(() => telegram.acknowledged).toEqual([expect.stringContaining(words)]);
    },
  };
};

it('CH-42 an option of the question of the agent is a button, for its sender, once', async () => {
  const world = await choiceWorld();
  const { panel, model, edited, texts, sent, ask, labels, press, pass } = world;
  await world.allow();
  const shown = await ask('Hello');
  expect(labels()).toEqual(['1', '2', '3']);
  for (const { callback_data: data } of sent.at(-1)?.reply_markup?.inline_keyboard.flat() ?? [])
    expect(Buffer.byteLength(data)).toBeLessThanOrEqual(64);
  // All of an option is one line, and none of it is markup.
  expect(shown).toMatch(
    /<pre>Which one\?\n1\. &lt;b&gt;Tea&lt;\/b&gt;\n2\. [^\n]+Coffee[^\n]+\n3\. [^\n]+<\/pre>$/,
  );
  expect(shown).toContain('3. Milk [x](tg://settings) \\u{202e}');

  await press('2', 'Read it first');
  pass(600);
  await press('2', 'does not count', { from: { id: 78, is_bot: false, first_name: 'Eve' } });
  await press('4', 'does not count');
  expect(await panel.agent.asks.query()).toHaveLength(1);
  await press('2', 'Answered with option 2');
  await expect.poll(() => texts().at(-1)).toBe('I see.');
  const last = model.requests.findLast(({ tools }) => tools.length > 0);
  expect(last && textOf(last)).toContain('Coffee\\\\n3. Allow once');
  await expect.poll(() => edited.at(-1)?.text).toContain('Answered with option 2, from this chat.');
  expect(edited.at(-1)?.reply_markup).toBeUndefined();
  await press('1', 'was answered before');
  expect(texts().at(-1)).toBe('I see.');
});

it('CH-42 an option that is pressed late, written, or of a question that is over, does not count', async () => {
  const { panel, edited, texts, say, ask, press, pass, ...world } = await choiceWorld();
  await world.allow();
  await ask('Hello');
  pass(600);
  say('2');
  await expect.poll(async () => (await panel.channels.list.query())[0]?.waiting).toBe(2);
  expect(await panel.agent.asks.query()).toHaveLength(1);
  pass(10 * 60_000);
  await press('2', 'The buttons have expired');
  await expect.poll(() => edited.at(-1)?.text).toContain('The buttons have expired.');
  expect(await panel.agent.asks.query()).toHaveLength(1);
  await world.stop();

  await ask('Hello again');
  pass(600);
  await world.stop();
  await expect.poll(() => edited.at(-1)?.text).toContain('This question is closed.');
  await press('1', 'was answered before');
  expect(texts().at(-1)).toBe('Stopped.');
});

it('CH-42 what does not fit, and every question while answers are off, is a link', async () => {
  const { offer, ask, labels, stop, ...world } = await choiceWorld();
  const link = /^The agent has a question for you: \S+$/;
  expect(await ask('Hello')).toMatch(link);
  expect(labels()).toEqual([]);
  await stop();
  await world.allow();
  offer('1', '2', '3', '4', '5', '6', '7');
  expect(await ask('Seven')).toMatch(link);
  await stop();
  // Each character is written out as eight.
  offer('\u202e'.repeat(200), '\u202d'.repeat(200));
  expect(await ask('Long')).toMatch(link);
  await stop();
  offer('x'.repeat(200), 'שלום');
  expect(await ask('Order')).toMatch(link);
  await stop();
  offer('x'.repeat(200), 'y');
  expect(await ask('Fits')).toContain(`1. ${'x'.repeat(200)}\n2. y`);
  expect(labels()).toEqual(['1', '2']);
});

it('CH-34 an emoji answers no question, also not with a rule', async () => {
  const { panel, react, edited, sent, texts, say, stop, ask, ...world } = await choiceWorld();
  await world.allow();
  await ask('Hello');
  const question = sent.length;
  react(['👍'], { message_id: question });
  const when = { on: 'emoji' as const };
  await panel.channels.rules.add.mutate({ when, do: { type: 'prompt', text: 'Choose 1.' } });
  react(['👍'], { message_id: question });
  say('/whoami');
  await expect.poll(() => texts().at(-1)).toContain('You are Alice');
  expect(await panel.agent.asks.query()).toHaveLength(1);
  expect(edited).toEqual([]);
  await stop();
});
