import { expect, it } from 'vitest';
import { requestsOf } from '../../../test/agent-turns.ts';
import { channelWorld, type Turns } from '../../../test/channel-world.ts';
import { startServer } from '../../../test/server.ts';
import { openDatabase } from '../../db/index.ts';

const work = { role: 'reader', instructions: 'task', background: true };

/** The agent begins work in the background, and says what came of it once it is done. */
const open = async () => {
  const [done, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const turns: Turns = (_request, number) => {
    if (number % 3 === 1) return { calls: [{ name: 'delegate', arguments: work }] };
    return { text: number % 3 === 2 ? 'I have begun.' : 'Here is the news.' };
  };
  const ends = [done.promise, second.promise];
  const others = { task: ends.map((until) => ({ text: 'It is done.', until })) };
  const all = await channelWorld(turns, {}, others);
  await all.pair();
  all.telegram.say('Go');
  await expect.poll(() => all.telegram.texts()).toEqual(['I have begun.']);
  return { ...all, finish: done.resolve, finishSecond: second.resolve };
};
type World = Awaited<ReturnType<typeof open>>;

const startAgain = ({ server, model, telegram }: World) =>
  startServer({
    dataDir: server.dataDir,
    environment: { AGENT_MODEL: 'stub', AGENT_MODEL_URL: model.url, ...telegram.environment },
  });
const news = ({ telegram }: World) => telegram.texts().filter((text) => text.startsWith('Here is'));

it('CH-38 what background work has brought reaches the chat, once, also across restarts', async () => {
  const world = await open();
  const { telegram, server, finish } = world;
  finish();
  await expect.poll(() => news(world)).toHaveLength(1);
  await server.app.close();
  // As a crash leaves the rows right after the end of the run.
  const { db, close } = openDatabase({ url: undefined, dataDir: server.dataDir });
  await db.deleteFrom('channelReplies').where('text', '=', 'Here is the news.').execute();
  await close();
  const again = await startAgain(world);
  await expect.poll(() => news(world)).toHaveLength(2);
  await again.app.close();
  const last = await startAgain(world);
  telegram.say('/whoami');
  await expect.poll(() => telegram.texts().at(-1)).toContain('You are Alice');
  await last.app.close();
  expect(news(world)).toHaveLength(2);
});

it('CH-38, CH-16 it is not told again to a sender who was removed and is paired again', async () => {
  const world = await open();
  const { telegram, server, channels, pair, finish } = world;
  finish();
  await expect.poll(() => news(world)).toHaveLength(1);
  await channels.senders.remove.mutate({ kind: 'telegram', senderId: '77' });
  await pair();
  telegram.say('/whoami');
  await expect.poll(() => telegram.texts()).toEqual([expect.stringContaining('You are Alice')]);
  await server.app.close();
  const last = await startAgain(world);
  telegram.say('/whoami');
  await expect.poll(() => telegram.texts().length).toBeGreaterThan(1);
  await last.app.close();
  expect(news(world)).toEqual([]);
});

it('CH-38 what the person began in the panel goes to no platform', async () => {
  const world = await open();
  const { telegram, panel, model, server, finish, finishSecond } = world;
  finish();
  await expect.poll(() => news(world)).toHaveLength(1);
  const first = async () => (await panel.agent.threads.list.query({ limit: 5 })).threads[0];
  await panel.agent.send.mutate({ threadId: (await first())?.id ?? '', message: 'From the panel' });
  const status = async () => [requestsOf(model.requests).length, (await first())?.status];
  await expect.poll(status).toEqual([5, 'background']);
  finishSecond();
  await expect.poll(status).toEqual([6, 'idle']);
  await server.app.close();
  const last = await startAgain(world);
  telegram.say('/whoami');
  await expect.poll(() => telegram.texts().at(-1)).toContain('You are Alice');
  await last.app.close();
  expect(telegram.texts()).toHaveLength(3);
});
