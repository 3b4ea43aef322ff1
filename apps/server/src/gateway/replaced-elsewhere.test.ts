import { expect, it } from 'vitest';
import { idOf, initBody, openStream, question, text } from '../../test/gateway-fixture.ts';
import type { Fate } from '../../test/lossy-bus.ts';
import { pollMs, useTwo } from '../../test/two-servers.ts';

const features = ['resume', 'cancel', 'progress'];
const daemonOf = (instance: string) =>
  initBody({ daemon: { version: '0.1.0', protocol: 1, features, instance } });

/**
 * A machine at the second server, and a call of the first, which has not heard that it was delivered.
 * `replace` connects a copy of the daemon to a server.
 */
const useUnheard = async () => {
  let fate: Fate = 'is lost';
  const world = await useTwo({ fate: () => fate, body: daemonOf('a') });
  const { clock, key, rowOf } = world;
  const [one, two] = [world.one.gateway, world.two.gateway];
  const stream = await openStream(two, { key, epoch: 1 });
  await clock.settle(pollMs);
  const call = await world.start(one);
  await clock.settle(pollMs);
  expect(idOf(stream)).toBe(call.requestId);
  expect(await rowOf(call.requestId)).toMatchObject({ state: 'delivered', epoch: 1 });
  const replace = async (gateway: typeof one) => {
    await two.daemon.init(key, { ...daemonOf('b'), after: 1 });
    return openStream(gateway, { key, epoch: 2 });
  };
  const messagesAreLate = () => void (fate = 'is late');
  return { clock, one, two, call, from: { key, epoch: 1 }, replace, messagesAreLate };
};

it('what a daemon reports of a call counts at a server that has not heard of its delivery', async () => {
  const { one, call, from, clock } = await useUnheard();
  expect(await one.daemon.progress(from, call.requestId, { output: 'begun' })).toMatchObject({ ok: true });
  expect(await one.daemon.respond(from, call.requestId, text('done'))).toEqual({ ok: true });
  await clock.settle();
  expect(call.end).toMatchObject({ state: 'succeeded' });
});

it('the same for its first report, the answer', async () => {
  const { one, call, from, clock } = await useUnheard();
  expect(await one.daemon.respond(from, call.requestId, text('done'))).toEqual({ ok: true });
  await clock.settle();
  expect(call.end).toMatchObject({ state: 'succeeded' });
});

it('a call that a daemon has is not sent to another one that has replaced it', async () => {
  const { one, two, call, from, clock, replace } = await useUnheard();
  const newer = await replace(one);
  await clock.settle(pollMs);
  expect(newer.requests()).toEqual([]);
  expect(await two.daemon.respond(from, call.requestId, text('done'))).toEqual({ ok: true });
  await clock.settle(pollMs);
  expect(call.end).toMatchObject({ state: 'succeeded' });
});

it('a daemon that has replaced another one is not asked to stop what that one had', async () => {
  const { one, two, call, clock, replace, messagesAreLate } = await useUnheard();
  await clock.settle(pollMs);
  messagesAreLate();
  await one.calls.cancel('ada', call.requestId);
  const newer = await replace(two);
  await clock.settle(pollMs);
  expect(newer.events.filter(({ type }) => type === 'tool-call-cancel')).toEqual([]);
});

/** A daemon with its stream at the second server, and another one that has replaced it at the first. */
const useReplaced = async () => {
  const world = await useTwo({ fate: () => 'is lost', body: daemonOf('a') });
  const { clock, key } = world;
  const [one, two] = [world.one.gateway, world.two.gateway];
  const former = await openStream(two, { key, epoch: 1 });
  await clock.settle(pollMs);
  await one.daemon.init(key, { ...daemonOf('b'), after: 1 });
  return { world, clock, key, one, two, former };
};

it('a call is not written on the stream of a daemon that another one has replaced at another server', async () => {
  const { world, clock, key, one, two, former } = await useReplaced();
  await clock.settle(pollMs);
  const call = await world.start(two);
  await clock.settle();
  expect(former.requests()).toEqual([]);
  const newer = await openStream(one, { key, epoch: 2 });
  await clock.settle(2 * pollMs);
  expect(newer.requests()).toHaveLength(1);
  expect(await world.rowOf(call.requestId)).toMatchObject({ state: 'delivered', epoch: 2 });
});

it('what a daemon says of a call counts before it has heard of its own new init', async () => {
  const world = await useTwo({ body: daemonOf('a') });
  const { clock, key } = world;
  const two = world.two.gateway;
  const stream = await openStream(two, { key, epoch: 1 });
  await two.daemon.init(key, { ...daemonOf('a'), after: 1 });
  const call = await world.start(two);
  await clock.settle();
  expect(idOf(stream)).toBe(call.requestId);
  expect(await two.daemon.respond({ key, epoch: 1 }, call.requestId, text('done'))).toEqual({ ok: true });
  await clock.settle();
  expect(call.end).toMatchObject({ state: 'succeeded' });
});

it('what a replaced daemon says of a call of its successor counts nowhere', async () => {
  const { world, key, one, two } = await useReplaced();
  const newer = await openStream(one, { key, epoch: 2 });
  const call = await world.start(one);
  expect(idOf(newer)).toBe(call.requestId);
  await expect(two.daemon.respond({ key, epoch: 1 }, call.requestId, text('forged'))).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
});

it('a call of a daemon is not sent to its successor by a server that knows only the one before', async () => {
  const { world, clock, key, one, two } = await useReplaced();
  const between = await openStream(one, { key, epoch: 2 });
  const call = await world.start(one);
  expect(idOf(between)).toBe(call.requestId);
  await two.daemon.init(key, { ...daemonOf('a'), after: 2 });
  const back = await openStream(two, { key, epoch: 3 });
  await clock.settle(2 * pollMs);
  expect(back.requests()).toEqual([]);
});

it.each(['one', 'two'] as const)(
  'a question that was posted before the newest init of its daemon is not asked at server `%s`, which has it again',
  async (server) => {
    const world = await useTwo({ fate: () => 'is lost', body: daemonOf('a') });
    const { clock, key, database } = world;
    const { gateway } = world[server];
    const { requestId } = await world.start(world.one.gateway);
    await gateway.daemon.progress({ key, epoch: 1 }, requestId, { output: 'begun' });
    await world.one.gateway.daemon.init(key, { ...daemonOf('a'), after: 1 });
    const post = (epoch: number) => gateway.daemon.respond({ key, epoch }, requestId, question());
    await expect(post(1)).rejects.toMatchObject({ code: 'OLD_EPOCH' });
    expect(await post(2)).toEqual({ ok: true });
    await clock.settle();
    expect(await database.db.selectFrom('confirmations').select('state').execute()).toEqual([
      { state: 'open' },
    ]);
  },
);
