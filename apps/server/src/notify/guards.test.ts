import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { rmSync } from 'node:fs';
import { createFakeClock } from '@drawbridge/kit';
import { expect, it, onTestFinished } from 'vitest';
import { decrypt, newSubscription, openPushService, pushHost } from '../../test/push-service.ts';
import { newDataFolder } from '../../test/server.ts';
import { createSealer } from '../secrets/index.ts';
import { createMetaStore, migrate } from '../db/index.ts';
import { openTestStore } from '../../test/store-place.ts';
import {
  createAnswersStore,
  createMostAnswers,
  createNotifications,
  createNotifyStore,
  loadVapid,
} from './index.ts';

const sessionOf = (id: string) => ({
  key: `session of ${id}`,
  user: { id, name: id, email: `${id}@example.org`, isOwner: false },
});
const privateName = { [pushHost]: [{ address: '10.0.0.1', family: 4 as const }] };

/** Notifications on a real store; the service under the name of a real one is on loopback. */
const world = async (names: Parameters<typeof openPushService>[0] = {}) => {
  const dataDir = await newDataFolder();
  const { db, close } = await openTestStore(dataDir);
  await migrate(db);
  onTestFinished(async () => {
    await close();
    rmSync(dataDir, { recursive: true });
  });
  const service = await openPushService(names);
  const clock = createFakeClock();
  const store = createNotifyStore(db);
  const facts = { owner: 'ada', panelReads: 0, hidden: [] as string[], errors: [] as unknown[] };
  const sealer = createSealer('a secret of the server');
  const notifications = createNotifications({
    store,
    clock,
    answers: createAnswersStore(db),
    most: createMostAnswers(createMetaStore(db)),
    outside: service.outside,
    vapid: await loadVapid({ meta: createMetaStore(db), sealer, dataDir }),
    sealer,
    url: () => 'https://bridge.example.org',
    sendToNodes: async () => {},
    isOwner: async (userId) => userId === facts.owner,
    isPanelOpen: async () => {
      facts.panelReads += 1;
      return false;
    },
    liveSessions: async (keys) => new Set(keys),
    hide: (secret) => void facts.hidden.push(secret),
    onError: (error) => void facts.errors.push(error),
  });
  onTestFinished(() => expect(facts.errors).toEqual([]));
  const subscribe = async (userId: string, name: string) => {
    const device = newSubscription(name);
    await notifications.devices.subscribe(sessionOf(userId), device.json);
    return { ...device, endpoint: device.json.endpoint };
  };
  const ask = (id: string, expiresAt: number | null = null) =>
    notifications.asked({
      ...{ userId: 'ada', id, machine: 'desk', path: `/inbox/${id}`, expiresAt },
      shown: async () => null,
    });
  return { service, clock, store, facts, notifications, subscribe, ask };
};

it('a question beyond twenty in a minute is not sent, and the next minute has twenty again', async () => {
  const { service, clock, facts, notifications, subscribe, ask } = await world();
  const device = await subscribe('ada', 'one');
  await notifications.change('ada', { when: 'panel-closed' });
  const pushed = () => service.pushes.map(({ body }) => (decrypt(device, body) as { id: string }).id);
  for (let count = 1; count <= 20; count += 1) ask(`q${count}`);
  await expect.poll(() => service.pushes.length).toBe(20);
  ask('beyond');
  await expect.poll(() => facts.panelReads).toBe(21);
  clock.advance(60_000);
  ask('later');
  await expect.poll(pushed).toContain('later');
  expect(pushed()).toHaveLength(21);
});

it('the end of a run of a minute is sent to the devices of who wants that, with nothing of the run', async () => {
  const { service, facts, notifications, subscribe } = await world();
  const device = await subscribe('ada', 'one');
  const { url } = await slowReceiver();
  await notifications.setWebhook('ada', url);
  const ended = (id: string, ms: number) => notifications.ended({ userId: 'ada', id, path: '/chat/t1', ms });
  ended('off', 60_000);
  await notifications.change('ada', { runEnds: true });
  ended('short', 59_999);
  ended('long', 60_000);
  await expect.poll(() => service.pushes.length).toBe(1);
  await notifications.change('ada', { when: 'never' });
  ended('never', 60_000);
  await notifications.change('ada', { when: 'panel-closed' });
  const reads = facts.panelReads;
  ended('closed', 60_000);
  await expect.poll(() => service.pushes.length).toBe(2);
  expect(facts.panelReads).toBe(reads + 1);
  expect(service.pushes.map(({ body }) => decrypt(device, body))).toEqual(
    ['long', 'closed'].map((id) => ({ id, title: 'A run has ended', path: '/chat/t1' })),
  );
});

it('tests of a webhook count too, also without one', async () => {
  const { notifications } = await world();
  for (let count = 0; count < 20; count += 1)
    await expect(notifications.testWebhook('ada')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(notifications.testWebhook('ada')).rejects.toMatchObject({ code: 'TOO_MANY_REQUESTS' });
});

it.each([
  [201, 1],
  [404, 0],
  [410, 0],
  [429, 1],
  [500, 1],
])('after an answer of %i the server has %i devices', async (status, devices) => {
  const { service, notifications, subscribe } = await world();
  const { endpoint } = await subscribe('ada', 'one');
  service.state.status = status;
  expect(await notifications.testDevice('ada', endpoint)).toEqual({ delivered: status === 201, status });
  expect((await notifications.settings('ada')).devices).toBe(devices);
});

it.each([
  ['no question that expires', null, '86400'],
  ['one of two hours', 2 * 60 * 60 * 1_000, '7200'],
  ['one of a week', 7 * 24 * 60 * 60 * 1_000, '86400'],
  ['one that has expired', -1, '0'],
])('the service keeps %s no longer than it can be answered, at most a day', async (_of, leftMs, ttl) => {
  const { service, clock, subscribe, ask } = await world();
  await subscribe('ada', 'one');
  ask('q', leftMs === null ? null : clock.now() + leftMs);
  await expect.poll(() => service.pushes.map(({ headers }) => headers.ttl)).toEqual([ttl]);
});

it.each([
  `https://${pushHost}:8443/a`,
  `https://user@${pushHost}/a`,
  `https://:password@${pushHost}/a`,
  'https://example.org/a',
])('%s gets nothing, also where the store has it', async (endpoint) => {
  const { service, clock, store, notifications } = await world();
  const { json } = newSubscription('one');
  await store.save({ userId: 'ada', endpoint, ...json.keys, session: 'any' }, clock.now());
  expect(await notifications.testDevice('ada', endpoint)).toEqual({ delivered: false, status: null });
  expect(service.pushes).toEqual([]);
  const subscription = { ...json, endpoint };
  await expect(notifications.devices.subscribe(sessionOf('ada'), subscription)).rejects.toMatchObject({
    code: 'BAD_REQUEST',
  });
});

it('a person can neither test nor remove the device of another', async () => {
  const { service, notifications, subscribe } = await world();
  const { endpoint } = await subscribe('ada', 'one');
  await expect(notifications.testDevice('ben', endpoint)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect(await notifications.devices.unsubscribe('ben', endpoint)).toEqual({ count: 0, cap: 20 });
  expect(await notifications.devices.count('ada')).toEqual({ count: 1, cap: 20 });
  expect(service.pushes).toEqual([]);
});

it('a browser is of the person who signed in to it last, and no one takes it by its address alone', async () => {
  const { notifications, subscribe } = await world();
  const { json } = await subscribe('ada', 'shared');
  const count = async (userId: string) => (await notifications.devices.count(userId)).count;
  await subscribe('eve', 'shared');
  expect([await count('ada'), await count('eve')]).toEqual([1, 1]);
  await notifications.devices.subscribe(sessionOf('ben'), json);
  expect([await count('ada'), await count('ben'), await count('eve')]).toEqual([0, 1, 1]);
});

it('a removed account leaves no device and no webhook', async () => {
  const { notifications, subscribe } = await world();
  await subscribe('ada', 'one');
  await subscribe('ben', 'two');
  for (const userId of ['ada', 'ben']) await notifications.setWebhook(userId, `https://${pushHost}/hook`);
  await notifications.removeUser('ada');
  expect(await notifications.settings('ada')).toEqual({
    ...{ when: 'always', webhookUrl: null, runEnds: false, devices: 0, mostAnswers: 'off' },
  });
  expect(await notifications.settings('ben')).toMatchObject({ webhookUrl: expect.any(String), devices: 1 });
});

it('US-15 a webhook whose name leads into the network gets nothing of anyone but the owner', async () => {
  const { service, notifications } = await world(privateName);
  await notifications.setWebhook('ben', `https://${pushHost}/hook`);
  expect(await notifications.testWebhook('ben')).toEqual({ delivered: false, status: null });
  expect(service.pushes).toEqual([]);
});

/** A server on loopback that answers when the test says so. */
const slowReceiver = async () => {
  const arrived = Promise.withResolvers<void>();
  const server = createServer(() => arrived.resolve());
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  // A server that listens on TCP has such an address.
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, arrived: arrived.promise };
};

it('a question while the store is away is reported once, and ends nothing', async () => {
  const { store, facts, ask } = await world();
  const settings = await store.settings('ada');
  const away = new Error('no store');
  let reads = 0;
  store.settings = async () => {
    reads += 1;
    if (reads > 1) throw away;
    return { ...settings, when: 'always' };
  };
  store.devices = () => Promise.reject(away);
  ask('q1');
  await expect.poll(() => facts.errors).toEqual([away]);
  facts.errors.length = 0;
});

it('a webhook without an answer is given up after 10 s; its secret is masked at each use', async () => {
  const { clock, facts, notifications } = await world();
  const { url, arrived } = await slowReceiver();
  const { secret } = await notifications.setWebhook('ada', url);
  const tested = notifications.testWebhook('ada');
  await arrived;
  clock.advance(10_000);
  expect(await tested).toEqual({ delivered: false, status: null });
  expect(facts.hidden).toEqual([secret, secret]);
});

it('US-15 an address inside the network is left alone once its person is no longer the owner', async () => {
  const { clock, facts, notifications } = await world();
  const { url, arrived } = await slowReceiver();
  await notifications.setWebhook('ada', url);
  facts.owner = 'ben';
  const reached = arrived.then(() => clock.advance(10_000)).then(() => 'reached');
  const tested = notifications.testWebhook('ada').then(({ status }) => status);
  expect(await Promise.race([tested, reached])).toBe(null);
});
