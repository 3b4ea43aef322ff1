import { createFakeClock } from '@drawbridge/kit';
import { expect, it, onTestFinished } from 'vitest';
import { rmSync } from 'node:fs';
import { createLossyHub, type Fate } from '../../../test/lossy-bus.ts';
import { createTestProcess } from '../../../test/test-process.ts';
import { newGatewayFolder } from '../../../test/new-store.ts';
import { openDatabase } from '../../db/index.ts';
import type { Bus } from '../bus.ts';
import { createServersStore } from './servers.store.ts';
import { joinServers } from './this-server.ts';

const pollMs = 2_000;

const openStore = async (fate: () => Fate = () => 'arrives') => {
  const dataDir = await newGatewayFolder();
  const clock = createFakeClock();
  const errors: unknown[] = [];
  const database = openDatabase({ url: undefined, dataDir }, clock);
  const store = createServersStore(database);
  const onError = (error: unknown) => void errors.push(error);
  const hub = createLossyHub({ clock, fate, onError });
  onTestFinished(async () => {
    await database.close();
    rmSync(dataDir, { recursive: true, force: true });
  });
  const join = async (id: string, more: { aheadMs?: number; bus?: Partial<Bus> } = {}) => {
    const process = createTestProcess(clock, { ...hub.open(id, { pollMs }), ...more.bus }, more.aheadMs);
    const told: string[] = [];
    const log = { info: (_what: object, sentence: string) => void told.push(sentence) };
    const server = await joinServers({ ...process, store, version: '1.0.0', log, onError });
    server.onLost(() => told.push('lost'));
    return { ...process, server, told };
  };
  return { clock, store, database, errors, join };
};

it('servers see each other while each beats, and a stopped one is gone at once', async () => {
  const { clock, store, join } = await openStore();
  const one = await join('one');
  const two = await join('two');
  await clock.settle(60_000);
  expect(await store.all()).toEqual(['one', 'two']);
  expect([one.server.isLive(), two.server.isLive()]).toEqual([true, true]);
  await two.server.leave();
  expect(await store.all()).toEqual(['one']);
});

it('a suspended server may do nothing after 8 s, is dead after 10 s, and begins again under another id', async () => {
  const { clock, store, errors, join } = await openStore();
  const one = await join('one');
  const two = await join('two');
  two.suspend(true);
  await clock.settle(7_999);
  expect(two.server.isLive()).toBe(true);
  await clock.settle(1);
  expect([two.server.isLive(), await store.all()]).toEqual([false, ['one', 'two']]);
  await clock.settle(4_000);
  expect([two.server.isLive(), await store.all()]).toEqual([false, ['one']]);
  two.suspend(false);
  await clock.settle(pollMs);
  expect(two.told).toEqual(['this server was taken for dead, and begins again', 'lost']);
  expect(two.server.id()).not.toBe('two');
  expect([two.server.isLive(), await store.all()]).toEqual([true, ['one', two.server.id()].toSorted()]);
  expect(one.told).toEqual(['a server has died']);
  expect(errors).toEqual([]);
});

it('a server that begins again goes on where the answer to its first attempt was lost', async () => {
  const { clock, store, errors, join } = await openStore();
  const add = store.add.bind(store);
  let lost = 0;
  store.add = async (server) => {
    await add(server);
    if (server.id === 'one' || lost === 1) return;
    lost += 1;
    throw new Error('The connection was lost');
  };
  const one = await join('one');
  await store.remove('one');
  await clock.settle(3 * pollMs);
  expect(errors).toEqual([new Error('The connection was lost')]);
  expect([one.server.isLive(), await store.all()]).toEqual([true, [one.server.id()]]);
});

it('a server that is told of its death begins again at once, and receives what is sent to its new id', async () => {
  const { clock, store, join } = await openStore();
  const one = await join('one');
  const two = await join('two');
  const received: string[] = [];
  two.server.subscribe(({ type }) => received.push(type));
  await store.remove('two');
  one.bus.publish('all', { type: 'server-dead', serverId: 'two' });
  await clock.settle();
  expect(two.told.at(-1)).toBe('lost');
  expect(await store.all()).toContain(two.server.id());
  one.bus.publish('server:two', { type: 'deliver-call', requestId: 'r1' });
  expect(received).not.toContain('deliver-call');
  one.bus.publish(`server:${two.server.id()}`, { type: 'deliver-call', requestId: 'r1' });
  expect(received).toContain('deliver-call');
});

it('no beat while a round fails, though the others would see it', async () => {
  const { clock, store, errors, join } = await openStore();
  await join('one');
  const two = await join('two');
  let fails = true;
  two.server.onRound(async () => {
    if (fails) throw new Error('the store cannot be read');
  });
  await clock.settle(8_000);
  expect([two.server.isLive(), errors.length]).toEqual([false, 4]);
  await clock.settle(6_000);
  expect(await store.all()).toEqual(['one']);
  fails = false;
  await clock.settle(pollMs);
  expect(two.server.isLive()).toBe(true);
});

it('no beat while a round does not end', async () => {
  const { clock, store, join } = await openStore();
  await join('one');
  const two = await join('two');
  two.server.onRound(() => new Promise(() => {}));
  await clock.settle(14_000);
  expect([two.server.isLive(), await store.all()]).toEqual([false, ['one']]);
});

it.each([
  ['no beat where the bus carries nothing', false],
  ['where the bus knows that it carries nothing, the rounds are enough', true],
])('%s', async (_, isAway) => {
  const { clock, join } = await openStore();
  const { server } = await join('one', { bus: { publish: () => {}, isAway: () => isAway } });
  await clock.settle(14_000);
  expect(server.isLive()).toBe(isAway);
});

it('a server that cannot reach the store takes itself for dead after 45 s, once', async () => {
  const { clock, store, join } = await openStore();
  const { told, server } = await join('one');
  const { now } = store;
  store.now = () => Promise.reject(new Error('no store'));
  await clock.settle(44_000);
  expect([server.isLive(), told]).toEqual([false, []]);
  await clock.settle(20_000);
  expect(told).toEqual(['this server was taken for dead, and begins again', 'lost']);
  store.now = now;
  await clock.settle(pollMs);
  expect([server.isLive(), await store.all()]).toEqual([true, [server.id()]]);
  expect(server.id()).not.toBe('one');
});

it('the clocks of all servers are that of the database', async () => {
  const { clock, database, join } = await openStore();
  const behind = await join('one', { aheadMs: -90_000 });
  const ahead = await join('two', { aheadMs: 90_000 });
  await clock.settle(20_000);
  expect([behind.server.clock.now(), ahead.server.clock.now()]).toEqual([clock.now(), clock.now()]);
  const rows = await database.db.selectFrom('servers').selectAll().orderBy('id').execute();
  expect(rows.map(({ startedAt, seenAt }) => seenAt - startedAt)).toEqual([20_000, 20_000]);
});

it('a server that is being stopped says so, also under another id', async () => {
  const { clock, store, join } = await openStore();
  const two = await join('two');
  await join('one');
  const draining = async () =>
    Object.fromEntries((await store.list()).map(({ id, drainingAt }) => [id, drainingAt]));
  expect(await draining()).toEqual({ one: null, two: null });
  const at = clock.now();
  two.server.drain();
  await clock.settle();
  expect(await draining()).toEqual({ one: null, two: at });
  await store.remove('two');
  await clock.settle(pollMs);
  expect(await draining()).toEqual({ one: null, [two.server.id()]: at });
});

it('a server that cannot reach the store leaves without it, and is dead for the others', async () => {
  const { clock, store, errors, join } = await openStore();
  await join('one');
  const two = await join('two');
  const { remove } = store;
  store.remove = () => Promise.reject(new Error('no store'));
  await two.server.leave();
  store.remove = remove;
  expect([errors, await store.all()]).toEqual([[new Error('no store')], ['one', 'two']]);
  await clock.settle(14_000);
  expect(await store.all()).toEqual(['one']);
});

it('a job is done by one server, and by another one when that is gone', async () => {
  const { clock, join } = await openStore();
  const one = await join('one');
  const two = await join('two');
  const both = async () => [await one.server.lease('sweep'), await two.server.lease('sweep')];
  expect(await both()).toEqual([true, false]);
  await clock.settle(9_000);
  expect(await both()).toEqual([true, false]);
  one.suspend(true);
  await clock.settle(9_999);
  expect(await two.server.lease('sweep')).toBe(false);
  await clock.settle(1);
  expect(await two.server.lease('sweep')).toBe(true);
  await two.server.leave();
  one.suspend(false);
  await clock.settle(pollMs);
  expect(await one.server.lease('sweep')).toBe(true);
});
