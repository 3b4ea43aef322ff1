import { createFakeClock, systemClock } from '@drawbridge/kit';
import { describe, expect, it } from 'vitest';
import { requestsOf, story, use } from '../../test/agent-turns.ts';
import { withAgent, withMachine } from '../../test/agent.ts';
import { channelWorld, hello, pairedChannel, type Turns } from '../../test/channel-world.ts';
import { startServer } from '../../test/server.ts';
import { botToken, openTelegram, refuse } from '../../test/telegram.ts';
import { openDatabase, type OpenDatabase } from '../db/index.ts';

describe('a message', () => {
  it('CH-01 of a paired sender gets the answer, in the markup of the platform, and moves the offset', async () => {
    const { telegram, model, channels } = await pairedChannel();
    telegram.say('Hi there');
    await expect
      .poll(() => telegram.sent)
      .toEqual([
        {
          chat_id: '77',
          text: 'Hello <strong>Alice</strong>.',
          parse_mode: 'HTML',
          link_preview_options: { is_disabled: true },
        },
      ]);
    expect(requestsOf(model.requests)).toHaveLength(1);
    await expect.poll(() => telegram.offsets.at(-1)).toBe(1_003);
    expect(telegram.asked.some(({ path }) => path.endsWith('/sendChatAction'))).toBe(true);
    expect((await channels.list.query()).slice(0, 1)).toMatchObject([
      { kind: 'telegram', state: 'working', name: '@stand_in_bot', waiting: 0, problem: null },
    ]);
  });

  it('CH-02 that is delivered again has one run and one answer', async () => {
    const { telegram, model } = await pairedChannel();
    const again = { update_id: 2_000, ...telegram.message('Once') };
    telegram.deliver(again, again);
    await expect.poll(() => telegram.sent.length).toBe(1);
    telegram.deliver({ ...again }, { update_id: 2_001, ...telegram.message('/whoami') });
    await expect.poll(() => telegram.texts().at(-1)).toContain('You are Alice here');
    expect(telegram.sent).toHaveLength(2);
    expect(requestsOf(model.requests)).toHaveLength(1);
  });

  it('CH-04 that is older than 12 hours is not run', async () => {
    const { telegram, model } = await pairedChannel();
    telegram.say('Yesterday', { date: Math.floor(systemClock.now() / 1_000) - 12 * 3_600 - 60 });
    await expect.poll(() => telegram.texts()).toEqual([expect.stringContaining('I was away')]);
    expect(requestsOf(model.requests)).toHaveLength(0);
  });

  it('CH-17 has the tools that its sender was given, and nothing that the agent remembers', async () => {
    const all = await channelWorld();
    await all.pair({ groups: ['filesystemRead'] });
    all.telegram.say('Look');
    await expect.poll(() => all.telegram.sent.length).toBe(1);
    const [request] = requestsOf(all.model.requests);
    expect(request?.tools.filter((name) => /^(write_file|shell_execute|remember|mcp)/.test(name))).toEqual(
      [],
    );
  });

  it('is a question that waits: the chat gets the link, and no word of it', async () => {
    const telegram = await openTelegram();
    const turns: Turns = (_request, number) =>
      number === 1
        ? use('ask-user', { questions: [{ id: 'q', question: 'Which secret one?', type: 'text' }] })
        : { text: 'Thanks.' };
    const { panel } = await withMachine(story(turns), telegram.environment);
    const { code } = await panel.channels.codes.create.mutate({ kind: 'telegram' });
    telegram.say(code.toLowerCase());
    await expect.poll(() => telegram.texts().at(-1)).toContain('You are paired');
    telegram.say('Choose');
    await expect
      .poll(() => telegram.texts().at(-1))
      .toMatch(/^The agent has a question for you: <?.*\/chat\//);
    expect(telegram.texts().join('')).not.toContain('secret');
  });

  it('CH-19 stops what runs by /stop, within the same chat', async () => {
    const started = Promise.withResolvers<void>();
    const { telegram } = await pairedChannel(async () => {
      started.resolve();
      await new Promise(() => {});
      return { text: '' };
    });
    telegram.say('Work for long');
    await started.promise;
    telegram.say('/stop');
    await expect.poll(() => telegram.texts()).toContain('Stopped.');
  });

  it('CH-20 beyond 20 in a minute is left out, and said once', async () => {
    const { telegram, model } = await pairedChannel();
    telegram.deliver(...Array.from({ length: 25 }, (_, at) => telegram.message(`/whoami ${at}`)));
    await expect.poll(() => telegram.sent.length).toBe(21);
    expect(telegram.texts().filter((text) => text.includes('too many messages'))).toHaveLength(1);
    expect(requestsOf(model.requests)).toHaveLength(0);
  });
});

describe('after a restart', () => {
  it('CH-03 a message that was stored is run once, and its answer is sent once', async () => {
    const held = Promise.withResolvers<void>();
    const { telegram, server, model } = await pairedChannel(async (_request, number) => {
      if (number === 1) await held.promise;
      return { text: 'Here it is.' };
    });
    telegram.say('Question');
    await model.request(1);
    const closed = server.app.close();
    held.resolve();
    await closed;
    await startServer({
      dataDir: server.dataDir,
      environment: { AGENT_MODEL: 'stub', AGENT_MODEL_URL: model.url, ...telegram.environment },
    });
    await expect.poll(() => telegram.texts()).toEqual(['Here it is.']);
  });

  it('CH-03 an answer that was not accepted is sent then', async () => {
    const { telegram, server, model } = await pairedChannel();
    const isAsked = Promise.withResolvers<void>();
    telegram.answerFirst('sendMessage', () => isAsked.resolve());
    telegram.say('Hi');
    await isAsked.promise;
    await server.app.close();
    await startServer({
      dataDir: server.dataDir,
      environment: { AGENT_MODEL: 'stub', AGENT_MODEL_URL: model.url, ...telegram.environment },
    });
    await expect.poll(() => telegram.texts()).toEqual(['Hello <strong>Alice</strong>.']);
    expect(requestsOf(model.requests)).toHaveLength(1);
  });
});

/** As a crash leaves the rows: the server has ended, and this is what it had not done yet. */
describe('the rows that a crash leaves', () => {
  const open = async () => {
    const all = await pairedChannel();
    all.telegram.say('Hi');
    await expect.poll(() => all.telegram.texts()).toHaveLength(1);
    await expect.poll(async () => (await all.channels.list.query())[0]?.waiting).toBe(0);
    await all.server.app.close();
    return all;
  };
  const startAgain = ({ server, model, telegram }: Awaited<ReturnType<typeof open>>) =>
    startServer({
      dataDir: server.dataDir,
      environment: { AGENT_MODEL: 'stub', AGENT_MODEL_URL: model.url, ...telegram.environment },
    });
  const change = async (
    { server }: Awaited<ReturnType<typeof open>>,
    write: (db: OpenDatabase['db']) => Promise<unknown>,
  ) => {
    const { db, close } = openDatabase({ url: undefined, dataDir: server.dataDir });
    await write(db);
    await close();
  };

  it.each([
    ['after the run, before its answer was stored', true, 2],
    ['after its answer was stored and sent', false, 1],
  ])('CH-03 %s: no second run', async (_when, isUnanswered, answers) => {
    const world = await open();
    await change(world, async (db) => {
      await db.updateTable('channelMessages').set({ state: 'accepted' }).execute();
      if (isUnanswered) await db.deleteFrom('channelReplies').where('id', 'like', '% run %').execute();
    });
    const { app } = await startAgain(world);
    const { telegram, model } = world;
    telegram.say('/whoami');
    await expect.poll(() => telegram.texts().at(-1)).toContain('You are Alice');
    expect(telegram.texts().filter((text) => text.startsWith('Hello'))).toHaveLength(answers);
    expect(requestsOf(model.requests)).toHaveLength(1);
    await app.close();
  });

  it('CH-03 before the agent had it: it is run once', async () => {
    const world = await open();
    await change(world, async (db) => {
      const [row] = await db.selectFrom('channelMessages').selectAll().execute();
      if (row)
        await db
          .insertInto('channelMessages')
          .values({ ...row, updateId: '9', state: 'accepted' })
          .execute();
    });
    await startAgain(world);
    await expect
      .poll(() => world.telegram.texts().filter((text) => text.startsWith('Hello')))
      .toHaveLength(2);
    expect(requestsOf(world.model.requests)).toHaveLength(2);
  });
});

describe('the platform', () => {
  it('CH-05 asks to wait: the answer comes then, once', async () => {
    const { telegram } = await pairedChannel();
    telegram.answerFirst('sendMessage', refuse(429, 'Too Many Requests', { retry_after: 1 }));
    telegram.say('Hi');
    await expect.poll(() => telegram.texts()).toEqual(['Hello <strong>Alice</strong>.']);
  });

  it('CH-05, CH-35 refuses the key: the channel says so, and works with another one', async () => {
    const telegram = await openTelegram();
    const { panel, server } = await withAgent(story(hello), {
      ...telegram.environment,
      TELEGRAM_BOT_TOKEN: `999999:${'B'.repeat(35)}`,
    });
    const { channels } = panel;
    const state = async () => (await channels.list.query())[0];
    await expect.poll(state).toMatchObject({ state: 'key', problem: expect.stringContaining('@BotFather') });
    await expect(channels.test.mutate({ kind: 'telegram' })).rejects.toThrow('Telegram refuses the token');
    await channels.configure.mutate({ kind: 'telegram', isOn: true, fields: { token: botToken } });
    await expect.poll(state).toMatchObject({ state: 'working', problem: null, isFromEnvironment: false });
    expect(await channels.test.mutate({ kind: 'telegram' })).toEqual({ name: '@stand_in_bot' });
    await channels.configure.mutate({ kind: 'telegram', isOn: false });
    expect(await state()).toMatchObject({ state: 'off', isOn: false, fields: { token: 'AAAA' } });
    expect(server.log.join('')).not.toContain('AAAAAAAA');
  });

  it('CH-05 says that another program polls, and is reached again after trouble', async () => {
    const telegram = await openTelegram();
    telegram.answerFirst('getUpdates', refuse(409, 'Conflict: terminated by other getUpdates request'));
    telegram.answerFirst('getMe', refuse(502, 'Bad Gateway'), (reply) => void reply.end('<html>'));
    const clock = createFakeClock(systemClock.now());
    const { panel } = await withAgent(story(hello), telegram.environment, clock);
    const state = async () => (await panel.channels.list.query())[0]?.state;
    await expect.poll(state).toBe('unreachable');
    await expect
      .poll(() => {
        clock.advance(1_000);
        return state();
      })
      .toBe('conflict');
    clock.advance(31_000);
    await expect.poll(state).toBe('working');
  });

  it('CH-25 does not read the markup: the text goes as it is; the chat is closed: it is dropped', async () => {
    const { telegram } = await pairedChannel();
    telegram.answerFirst('sendMessage', refuse(400, "Bad Request: can't parse entities: unexpected end"));
    telegram.say('Hi');
    await expect.poll(() => telegram.texts()).toEqual(['Hello **Alice**.']);
    telegram.answerFirst('sendMessage', refuse(403, 'Forbidden: bot was blocked by the user'));
    const before = telegram.asked.length;
    const sends = () => telegram.asked.slice(before).filter(({ path }) => path.endsWith('/sendMessage'));
    telegram.say('Again');
    await expect.poll(() => sends().length).toBe(1);
    telegram.say('/whoami');
    await expect.poll(() => telegram.texts().at(-1)).toContain('You are Alice');
    expect(telegram.sent).toHaveLength(2);
  });
});

it('CH-22 an answer of the model has no markup and no link of its own', async () => {
  const hostile = '</pre><a href="javascript:x">a</a> [x](tg://user?id=1) <users/all> & **b**';
  const { telegram } = await pairedChannel(() => ({ text: hostile }));
  telegram.say('Hi');
  await expect
    .poll(() => telegram.texts())
    .toEqual([
      '&lt;/pre&gt;&lt;a href=&quot;javascript:x&quot;&gt;a&lt;/a&gt; [x](tg://user?id=1) &lt;users/all&gt; &amp; <strong>b</strong>',
    ]);
});
