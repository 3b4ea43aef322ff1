import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { openStream, question } from '../../test/gateway-fixture.ts';
import type { Fate } from '../../test/lossy-bus.ts';
import { useTwo } from '../../test/two-servers.ts';

const away = () => Object.assign(new Error('away'), { code: '57P01' });

/** Two servers whose messages can be lost from now on, and a third that learns late what was stored. */
const useSlow = async () => {
  let fate: Fate = 'arrives';
  const world = await useTwo({ fate: () => fate });
  let stored = Promise.resolve();
  let isAway = false;
  let read = Promise.resolve();
  let beginMs = 0;
  const slow = await world.join('slow', (store) => ({
    ...store,
    readTime: () => sql<number>`cast(${world.clock.now() + beginMs} as bigint)`,
    db: store.db.withPlugin({
      transformQuery: ({ node }) => node,
      transformResult: ({ result }) => (isAway ? Promise.reject(away()) : read.then(() => result)),
    }),
    commit: async (...given) => {
      const result = await store.commit(...given);
      await stored;
      return result;
    },
  }));
  const holdAnswers = () => {
    const held = Promise.withResolvers<void>();
    stored = held.promise;
    return held.resolve;
  };
  const holdReads = () => {
    const held = Promise.withResolvers<void>();
    read = held.promise;
    return held.resolve;
  };
  /** So long after it was asked for, a read is made. */
  const readsBeginAfter = (ms: number) => void (beginMs = ms);
  const loseMessages = () => void (fate = 'is lost');
  /** The slow one cannot read meanwhile, and says so. */
  const whileAway = async (run: () => Promise<unknown>) => {
    isAway = true;
    await run();
    isAway = false;
    expect(world.errors.splice(0)).not.toEqual([]);
  };
  return { ...world, slow: slow.gateway, holdAnswers, holdReads, readsBeginAfter, loseMessages, whileAway };
};

it.each(['slow', 'two'] as const)(
  'a call that was made at `%s` is not written on a stream that ended while the store was slow',
  async (maker) => {
    const world = await useSlow();
    const { clock, key, slow, two } = world;
    const old = await openStream(slow, key);
    await clock.settle();
    const answer = world.holdAnswers();
    await world.start(maker === 'slow' ? slow : two.gateway);
    world.loseMessages();
    const newer = await openStream(two.gateway, key);
    await clock.settle(600);
    await world.whileAway(() => {
      answer();
      return clock.settle(100);
    });
    expect(old.requests()).toEqual([]);
    await clock.settle(5_000);
    expect([old, newer].map((one) => [one.requests().length, one.isClosed()])).toEqual([
      [0, true],
      [1, false],
    ]);
  },
);

/** A call of the slow one, which has stored it and waits for a read of who has the stream. */
const useLooking = async () => {
  const world = await useSlow();
  const { clock, key, slow } = world;
  const old = await openStream(slow, key);
  await clock.settle();
  const answer = world.holdAnswers();
  await world.start(slow);
  await clock.settle(600);
  return { ...world, old, answer };
};

it.each([
  ['a server that was suspended while it looked for its stream looks again', 0],
  ['however slow the store is, nothing is written on a stream that ended while it was looked for', 3],
])('%s', async (_name, slowReads) => {
  const { clock, key, two, old, answer, ...world } = await useLooking();
  world.loseMessages();
  let answerRead = world.holdReads();
  answer();
  await clock.settle();
  for (let read = 0; read < slowReads; read += 1) {
    await clock.settle(600);
    const answerThis = answerRead;
    answerRead = world.holdReads();
    answerThis();
    await clock.settle();
  }
  const newer = await openStream(two.gateway, key);
  await clock.settle(600);
  answerRead();
  await clock.settle(100);
  expect(old.requests()).toEqual([]);
  await clock.settle(5_000);
  expect(newer.requests()).toHaveLength(1);
});

it('a read that was slow to begin, and not to answer, says where the stream is', async () => {
  const { clock, old: stream, answer, ...world } = await useLooking();
  world.readsBeginAfter(600);
  const goOn = world.holdReads();
  answer();
  await clock.settle(600);
  const answerOthers = world.holdReads();
  goOn();
  await clock.settle();
  expect(stream.requests()).toHaveLength(1);
  answerOthers();
});

it('a question that another server has stored is answered before any message of it has come', async () => {
  const world = await useSlow();
  const { clock, key, one, two } = world;
  const { requestId } = await world.start(one.gateway);
  world.loseMessages();
  await two.gateway.daemon.respond(key, requestId, question());
  const decided = await one.gateway.confirmations.decide('ada', { requestId }, { approved: true });
  expect(decided).toMatchObject({ state: 'decided', approved: true });
  await clock.settle();
  expect(await world.rowOf(requestId)).toMatchObject({ state: 'delivered' });
});

it('a repeated question is not asked again at a second server when the first one has its answer', async () => {
  const world = await useSlow();
  const { clock, database, key, one, two } = world;
  const { requestId } = await world.start(two.gateway);
  world.loseMessages();
  await one.gateway.daemon.respond(key, requestId, question());
  await one.gateway.confirmations.decide('ada', { requestId }, { approved: true });
  await clock.settle();
  expect(await two.gateway.daemon.respond(key, requestId, question())).toEqual({ ok: true, duplicate: true });
  const asked = database.db.selectFrom('confirmations').select('state').where('requestId', '=', requestId);
  expect(await asked.execute()).toEqual([{ state: 'decided' }]);
  expect(await world.rowOf(requestId)).toMatchObject({ state: 'delivered' });
});

it('what is sent again while a slow reader takes it, stops once the machine is elsewhere', async () => {
  const world = await useSlow();
  const { clock, key, slow, two } = world;
  for (const _call of [1, 2]) await world.start(two.gateway);
  const again: string[] = [];
  const reader = Promise.withResolvers<void>();
  await slow.daemon.openStream(key, {
    send: (_, event) => event.type !== 'filesystem-request' || again.push(event.payload.requestId) > 0,
    ready: () => reader.promise,
    close: () => {},
  });
  await clock.settle();
  expect(again).toHaveLength(1);
  world.loseMessages();
  await openStream(two.gateway, key);
  reader.resolve();
  await clock.settle();
  expect(again).toHaveLength(1);
});
