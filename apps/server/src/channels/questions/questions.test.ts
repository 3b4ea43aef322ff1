import { daemonMounts, gatewayKeyHeader } from '@drawbridge/contracts/daemon-paths';
import { expect, it, onTestFinished } from 'vitest';
import { story, use } from '../../../test/agent-turns.ts';
import { machineQuestion, nextCall, resultOf, withAgent } from '../../../test/agent.ts';
import { connectDaemon, openStream, requestOf } from '../../../test/daemon.ts';
import { startServer } from '../../../test/server.ts';
import { createStoppedTime } from '../../../test/stopped-time.ts';
import { openTelegram } from '../../../test/telegram.ts';
import { openDatabase } from '../../db/index.ts';

const tenMinutes = 10 * 60_000;

/** Each message of Alice makes the agent write a file, and the machine ask about it. */
const questionWorld = async () => {
  const telegram = await openTelegram();
  const { clock, pass } = createStoppedTime();
  const script = story((_request, number) =>
    number % 2 === 1 ? use('write_file', { path: 'a', content: `${number}` }) : { text: 'Ready.' },
  );
  const all = await withAgent(script, telegram.environment, clock);
  const daemon = await connectDaemon(all.server, all.token);
  const { channels } = all.panel;
  const pair = async (as: object = {}) => {
    const { code } = await channels.codes.create.mutate({ kind: 'telegram', groups: ['filesystemWrite'] });
    telegram.say(`/start ${code}`, as);
    await expect.poll(() => telegram.texts().at(-1)).toContain('You are paired');
  };
  await pair();
  const alice = { kind: 'telegram', senderId: '77' } as const;
  const allow = async (most: 'off' | 'deny' | 'once', own: 'off' | 'deny' | 'once') => {
    await channels.configure.mutate({ kind: 'telegram', isOn: true, answers: most });
    const rights = { name: 'Alice', groups: ['filesystemWrite' as const], usesMemory: false };
    await channels.senders.update.mutate({ ...alice, ...rights, answers: own });
  };
  const { db, close } = openDatabase({ url: undefined, dataDir: all.server.dataDir });
  onTestFinished(close);
  /** What the server has not noted as sent yet. */
  const unsent = () =>
    db.selectFrom('channelReplies').select('id').where('state', 'in', ['waiting', 'sending']).execute();
  /** Alice writes, and the machine asks. Resolves to the call. */
  const ask = async () => {
    const before = telegram.sent.length;
    telegram.say('Write it');
    const call = await nextCall(daemon);
    await daemon.respond(call.requestId, machineQuestion);
    await expect.poll(() => telegram.sent.length).toBeGreaterThan(before);
    await expect.poll(unsent).toEqual([]);
    return call;
  };
  return {
    ...all,
    telegram,
    channels,
    daemon,
    pair,
    allow,
    ask,
    clock,
    db,
    pass,
    buttons: () => (telegram.sent.at(-1)?.reply_markup?.inline_keyboard ?? []).flat().map(({ text }) => text),
  };
};

it('CH-30 a question is answered once, by its button, from where it was shown', async () => {
  const world = await questionWorld();
  const { telegram, daemon, panel, pair, allow, ask, pass, buttons } = world;
  await allow('once', 'once');
  const { requestId } = await ask();
  const messageId = telegram.sent.length;
  expect(buttons()).toEqual(['Allow once', 'Deny']);
  expect(telegram.texts().at(-1)).toContain('<pre>Write a\nTool: write_file\n');
  const shown = telegram.sent.at(-1)?.reply_markup?.inline_keyboard.flat() ?? [];

  const refused = async (press: () => void, words: string) => {
    telegram.acknowledged.length = 0;
    press();
    await expect.poll(() => telegram.acknowledged).toEqual([expect.stringContaining(words)]);
    expect(await panel.confirmations.list.query()).toHaveLength(1);
  };
  const press = (more?: object) => () => telegram.press('Allow once', more);
  const chat = { id: 77, type: 'private' };
  await refused(press(), 'Read it first');
  pass(600);
  const eve = { from: { id: 78, is_bot: false, first_name: 'Eve' } };
  await refused(press(eve), 'does not count');
  await pair({ ...eve, chat: { id: 78, type: 'private' } });
  await refused(press({ ...eve, message: { message_id: messageId, chat } }), 'does not count');
  await refused(press({ message: { message_id: 999, chat } }), 'does not count');
  await refused(
    press({ message: { message_id: messageId, chat: { id: 5, type: 'group' } } }),
    'does not count',
  );

  telegram.acknowledged.length = 0;
  telegram.press('Allow once');
  const again = await nextCall(daemon);
  expect(again).toMatchObject({
    requestId,
    toolCall: { arguments: { path: 'a', _confirmation: 'allowOnce' } },
  });
  await daemon.respond(requestId, resultOf('written'));
  await expect.poll(() => telegram.texts().at(-1)).toBe('Ready.');
  await expect
    .poll(() => telegram.edited)
    .toMatchObject([
      {
        text: expect.stringContaining('<strong>Allowed once, from this chat.</strong>'),
        message_id: messageId,
      },
    ]);
  expect(await panel.calls.questions.query({ requestId })).toMatchObject([
    { decision: 'allowOnce', decidedVia: { channel: 'telegram', senderId: '77' } },
  ]);
  expect(telegram.edited[0]?.reply_markup).toBeUndefined();
  expect(telegram.sent.at(-1)?.reply_markup).toBeUndefined();
  telegram.press('Deny');
  const words = ['Allowed once, from this chat.', 'This question was answered before.'];
  await expect.poll(() => telegram.acknowledged).toEqual(words);

  // The button of an older question does not answer the next one; three such presses end the answers.
  await ask();
  pass(600);
  for (const count of [1, 2, 3]) {
    telegram.press('', { data: `a:${'x'.repeat(22)}` });
    await expect.poll(() => telegram.acknowledged.length).toBe(count + 2);
  }
  expect(await world.channels.senders.list.query()).toMatchObject([{ answers: 'off' }, { name: 'Eve' }]);
  telegram.press('', { data: shown[0]?.callback_data ?? '' });
  await expect.poll(() => telegram.acknowledged.length).toBe(6);
  expect(await panel.confirmations.list.query()).toHaveLength(1);
});

it('CH-30 the panel, ten minutes, a changed question and the owner come before a button', async () => {
  const world = await questionWorld();
  const { telegram, daemon, panel, channels, db, allow, ask, pass, buttons } = world;
  await allow('once', 'deny');
  const edited = () => telegram.edited.at(-1)?.text ?? '';
  const denied = async (requestId: string) => {
    await panel.confirmations.decide.mutate({ confirmationId: (await open()).id, approved: false });
    await expect.poll(() => telegram.texts().at(-1)).toBe('Ready.');
    return requestId;
  };
  const open = async () => {
    const [first] = await panel.confirmations.list.query();
    if (!first) throw new Error('No question is open');
    return first;
  };

  const { requestId } = await ask();
  expect(buttons()).toEqual(['Deny']);
  const data = telegram.sent.at(-1)?.reply_markup?.inline_keyboard[0]?.[0]?.callback_data ?? '';
  pass(600);
  telegram.press('', { data: data.replace('d:', 'a:') });
  await expect.poll(() => telegram.acknowledged).toEqual([expect.stringContaining('does not count')]);
  await denied(requestId);
  await expect.poll(edited).toContain('Denied in Drawbridge.');

  await ask();
  pass(tenMinutes);
  telegram.press('Deny');
  await expect.poll(edited).toContain('The buttons have expired.');
  await denied((await open()).requestId);

  await ask();
  pass(600);
  await db.updateTable('channelQuestions').set({ digest: 'of another text' }).execute();
  telegram.press('Deny');
  await expect.poll(edited).toContain('This question has changed.');
  await denied((await open()).requestId);

  await ask();
  pass(600);
  await channels.configure.mutate({ kind: 'telegram', isOn: true, answers: 'off' });
  telegram.press('Deny');
  await expect.poll(edited).toContain('Answers from this chat are switched off.');
  await denied((await open()).requestId);
  await ask();
  expect(buttons()).toEqual([]);
  expect(telegram.texts().at(-1)).not.toContain('Write a');

  await allow('deny', 'once');
  await denied((await open()).requestId);
  const { requestId: last } = await ask();
  expect(buttons()).toEqual(['Deny']);
  pass(600);
  telegram.press('Deny');
  expect(await nextCall(daemon)).toMatchObject({
    requestId: last,
    toolCall: { arguments: { _confirmation: 'denyOnce' } },
  });
});

it.each([
  ['pressed', 'Allowed once, from this chat.'],
  ['open', 'The buttons have expired.'],
] as const)('CH-30 a question that is %s after a crash: %s', async (state, words) => {
  const world = await questionWorld();
  const { telegram, server, model, daemon, db, allow, ask, pass, clock } = world;
  await allow('once', 'once');
  const { requestId } = await ask();
  await server.app.close();
  if (state === 'open') pass(tenMinutes);
  const answer = state === 'open' ? null : 'allow';
  await db.updateTable('channelQuestions').set({ state, answer }).execute();
  // Otherwise the message that is followed shows its question again.
  await db.updateTable('channelMessages').set({ state: 'answered' }).execute();
  const second = await startServer({
    dataDir: server.dataDir,
    clock,
    environment: { AGENT_MODEL: 'stub', AGENT_MODEL_URL: model.url, ...telegram.environment },
  });
  if (state === 'pressed') {
    const headers = { [gatewayKeyHeader]: daemon.sessionKey };
    const { next } = await openStream(`${second.url}${daemonMounts.bare}/events`, headers);
    const call = { requestId, toolCall: { arguments: { _confirmation: 'allowOnce' } } };
    expect(requestOf(await next())).toMatchObject(call);
  }
  await expect.poll(() => telegram.edited.at(-1)?.text).toContain(words);
});
