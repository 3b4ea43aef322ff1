import { expect, it, onTestFinished } from 'vitest';
import { requestsOf, textOf, use } from '../../../test/agent-turns.ts';
import { machineQuestion, nextCall, resultOf } from '../../../test/agent.ts';
import { channelWorld, hello, type Turns } from '../../../test/channel-world.ts';
import { connectDaemon } from '../../../test/daemon.ts';
import { openDatabase } from '../../db/index.ts';

const team = { id: -100_5, type: 'supergroup', title: 'Team' };
const bob = { id: 78, is_bot: false, first_name: 'Bob' };
const group = { kind: 'telegram', conversation: '-1005' } as const;

/** Alice is paired with her account, and Bob is not. */
const groupWorld = async (turns: Turns = hello) => {
  const world = await channelWorld(turns);
  const { telegram, channels, model } = world;
  await world.pair({ groups: ['filesystemRead'] });
  const named = (text: string) => ({
    chat: team,
    entities: [{ type: 'mention', offset: text.indexOf('@'), length: text.length - text.indexOf('@') }],
  });
  /** In the group, with what stands behind @ as the mention. */
  const name = (text: string, more: object = {}) => telegram.say(text, { ...named(text), ...more });
  const groups = () => channels.groups.list.query();
  const turn = (isOn: boolean, tools: 'filesystemWrite'[] = []) =>
    channels.groups.update.mutate({ ...group, isOn, groups: tools });
  return {
    ...world,
    name,
    groups,
    turn,
    inTeam: (text: string, more: object = {}) => telegram.say(text, { chat: team, ...more }),
    asked: () => requestsOf(model.requests),
    inGroup: () => telegram.sent.filter(({ chat_id: chat }) => chat === group.conversation),
    /** All that was posted so far is read: a command in Alice's chat is answered, and nothing else. */
    read: async () => {
      const before = telegram.sent.length;
      telegram.say('/whoami');
      await expect.poll(() => telegram.texts().slice(before).at(-1)).toContain('You are Alice');
      expect(telegram.sent).toHaveLength(before + 1);
    },
    /** The group is known, and on. */
    open: async (tools: 'filesystemWrite'[] = []) => {
      name('Hi @stand_in_bot');
      await expect.poll(groups).toHaveLength(1);
      await turn(true, tools);
    },
  };
};

it('CH-18 a group is off until its person turns it on, and is known once a sender has named the bot there', async () => {
  const world = await groupWorld();
  const { telegram, name, groups, read, turn, asked } = world;
  name('Hi @stand_in_bot', { from: bob });
  await read();
  expect(await groups()).toEqual([]);
  await expect(turn(true)).rejects.toThrow('Not found');
  name('Hi @stand_in_bot');
  await read();
  expect(await groups()).toEqual([
    { ...group, title: 'Team', isOn: false, groups: [], seenAt: expect.any(String) },
  ]);
  expect(asked()).toHaveLength(0);

  await turn(true);
  name('What is new, @stand_in_bot', { message_id: 9 });
  await expect
    .poll(() => telegram.sent.at(-1))
    .toMatchObject({
      chat_id: '-1005',
      text: 'Hello <strong>Alice</strong>.',
      reply_parameters: { message_id: 9, allow_sending_without_reply: true },
    });
  expect(textOf(asked()[0]!)).toContain('Alice: What is new, @stand_in_bot');
  await turn(false);
  name('And now, @stand_in_bot');
  await read();
  expect(asked()).toHaveLength(1);
});

it('CH-18 in a group the bot reads what names it, or replies to it, of a paired sender alone', async () => {
  const world = await groupWorld();
  const { telegram, name, inTeam, inGroup, read, open, asked } = world;
  await open();
  const mention = { type: 'mention', offset: 0, length: 13 };
  inTeam('Lunch?');
  inTeam('@stand_in_bot without an entity');
  inTeam('/stop');
  inTeam('/ask@stand_in_bot2', { entities: [{ type: 'bot_command', offset: 0, length: 18 }] });
  name('Hi @stand_in_bot2');
  name('Hi @stand_in_bоt');
  name('Hi @stand_in_bot', { from: bob });
  name('Hi @stand_in_bot', { sender_chat: team });
  name('Hi @stand_in_bot', { forward_origin: { type: 'user' } });
  inTeam('Bob', { entities: [{ type: 'text_mention', offset: 0, length: 3, user: bob }] });
  inTeam('No', { reply_to_message: { from: bob } });
  // The entities of a caption do not count for a text.
  inTeam('@stand_in_bot x', { caption_entities: [mention] });
  await read();
  expect(asked()).toHaveLength(0);

  const own = { id: 123_456, is_bot: true, first_name: 'Bot' };
  const ways: [string, object][] = [
    ['@STAND_IN_BOT, first', { entities: [mention] }],
    ['second', { reply_to_message: { from: own } }],
    ['Bot third', { entities: [{ type: 'text_mention', offset: 0, length: 3, user: own }] }],
    ['/do@stand_in_bot', { entities: [{ type: 'bot_command', offset: 0, length: 16 }] }],
  ];
  for (const [at, [text, more]] of ways.entries()) {
    inTeam(text, more);
    await expect.poll(inGroup).toHaveLength(at + 1);
  }
  const said = textOf(asked().at(-1)!);
  for (const text of ['Alice: first', 'Alice: second', 'Alice: Bot third']) expect(said).toContain(text);
  expect(telegram.texts().at(-1)).toBe('Commands work in your own chat with the bot. Here only /stop does.');
});

it('CH-18, CH-33 another account neither reads a group that is on nor turns it on', async () => {
  const world = await groupWorld();
  const { panel, name, open, read, turn, asked, inGroup, server } = world;
  await open();
  const { db, close } = openDatabase({ url: undefined, dataDir: server.dataDir });
  onTestFinished(close);
  const me = await panel.account.me.query();
  // Bob is paired with another account here.
  await db
    .insertInto('channelSenders')
    .values({
      ...{ kind: 'telegram', senderId: '78', userId: 'ben', name: 'Bob', groups: '[]', usesMemory: 0 },
      ...{ answers: 'off', speak: 'never', pairedAt: 1, lastSeenAt: 1, address: null },
    })
    .execute();
  await db.updateTable('channelGroups').set({ userId: 'ben' }).execute();
  name('Hi @stand_in_bot');
  await read();
  expect(asked()).toHaveLength(0);
  const stored = db.selectFrom('channelMessages').select('text');
  expect(await stored.where('conversation', '=', '-1005').execute()).toEqual([]);
  await db
    .insertInto('channelGroups')
    .values({ ...group, userId: me?.id ?? '', title: 'Team', isOn: 0, groups: '[]', seenAt: 1 })
    .execute();
  await expect(turn(true)).rejects.toThrow('another account');
  expect(inGroup()).toEqual([]);
});

it('CH-18 a group has its own tools, nothing that is remembered, and no question', async () => {
  const world = await groupWorld((request) =>
    request.body.messages.at(-1)?.role !== 'tool' && textOf(request).includes('Write it')
      ? use('write_file', { path: 'a', content: 'x' })
      : { text: 'Written.' },
  );
  const { telegram, panel, channels, server, token, name, open, asked } = world;
  const daemon = await connectDaemon(server, token);
  await channels.configure.mutate({ kind: 'telegram', isOn: true, answers: 'once' });
  const rights = { name: 'Alice', groups: [], usesMemory: true, answers: 'once' as const };
  await channels.senders.update.mutate({ kind: 'telegram', senderId: '77', ...rights });
  telegram.say('The present is a plum');
  await expect.poll(() => telegram.texts().at(-1)).toBe('Written.');
  expect(asked().at(-1)?.tools).toContain('remember');
  await open(['filesystemWrite']);
  name('Write it, @stand_in_bot');
  const { requestId } = await nextCall(daemon);
  const tools = asked().at(-1)?.tools;
  expect(tools).toContain('write_file');
  for (const tool of ['read_file', 'remember']) expect(tools).not.toContain(tool);
  expect(textOf(asked().at(-1)!)).not.toContain('plum');
  await daemon.respond(requestId, machineQuestion);
  await expect
    .poll(() => telegram.sent.at(-1))
    .toMatchObject({
      chat_id: '77',
      text: expect.stringContaining('Tool: write_file'),
    });
  expect(telegram.sent.at(-1)?.reply_parameters).toBeUndefined();
  // Once half a second is over.
  const press = async () => {
    telegram.press('Allow once');
    return panel.confirmations.list.query();
  };
  await expect.poll(press, { interval: 250 }).toEqual([]);
  expect(await nextCall(daemon)).toMatchObject({ toolCall: { arguments: { _confirmation: 'allowOnce' } } });
  await daemon.respond(requestId, resultOf('written'));
  await expect.poll(() => telegram.sent.at(-1)).toMatchObject({ chat_id: '-1005', text: 'Written.' });
  // What was asked in her own chat is another chat of the agent.
  telegram.say('Hello');
  await expect.poll(() => telegram.sent.at(-1)).toMatchObject({ chat_id: '77', text: 'Written.' });
  expect(textOf(asked().at(-1)!)).not.toContain('Write it');
});

it.each(['the sender', 'the group'])(
  'CH-16 without %s the run ends, and nothing more is sent there',
  async (what) => {
    const gate = Promise.withResolvers<void>();
    const world = await groupWorld(async () => {
      await gate.promise;
      return { text: 'Late' };
    });
    const { channels, name, open, asked, inGroup, turn, agent, userId } = world;
    await open();
    name('Hi @stand_in_bot');
    await expect.poll(asked).toHaveLength(1);
    name('Again @stand_in_bot');
    if (what === 'the group') await turn(false);
    else await channels.senders.remove.mutate({ kind: 'telegram', senderId: '77' });
    const status = async () => (await agent.threads.list(userId, { limit: 1 })).threads[0]?.status;
    await expect.poll(status).toBe('idle');
    gate.resolve();
    expect(inGroup()).toEqual([]);
  },
);

it('CH-13 a code in a group ends, also behind the name of the bot and forwarded', async () => {
  const world = await groupWorld();
  const { channels, inTeam, read } = world;
  const { code } = await channels.codes.create.mutate({ kind: 'telegram' });
  const forwarded = await channels.codes.create.mutate({ kind: 'telegram' });
  inTeam(forwarded.code, { from: bob, forward_origin: { type: 'user' } });
  inTeam(`@stand_in_bot ${code}`, { entities: [{ type: 'mention', offset: 0, length: 13 }], from: bob });
  await read();
  expect(await channels.codes.list.query()).toEqual([]);
  expect(await channels.senders.list.query()).toHaveLength(1);
});
