import { rmSync } from 'node:fs';
import { createFakeClock } from '@drawbridge/kit';
import { expect, it, onTestFinished } from 'vitest';
import { newDataFolder } from '../../test/server.ts';
import { createSealer } from '../secrets/index.ts';
import { migrate } from '../db/index.ts';
import { openTestStore } from '../../test/store-place.ts';
import { errors } from '../errors.ts';
import { signBody, signStandard } from '../notify/signing.ts';
import { createHooks, createHooksStore } from './index.ts';

const day = 24 * 60 * 60 * 1_000;
/** Of the clock, in seconds. */
const start = Date.UTC(2026, 0, 1) / 1_000;
const unauthorized = { code: 'UNAUTHORIZED' };

/** Hooks on a real store; the agent notes what is sent to it. */
const world = async () => {
  const dataDir = await newDataFolder();
  const { db, close } = await openTestStore(dataDir);
  await migrate(db);
  onTestFinished(async () => {
    await close();
    rmSync(dataDir, { recursive: true });
  });
  const clock = createFakeClock();
  const store = createHooksStore(db);
  const facts = { users: ['ada', 'ben'], hidden: [] as string[], texts: [] as string[], fails: false };
  const needs = {
    store,
    clock,
    sealer: createSealer('a secret of the server'),
    isUser: async (userId: string) => facts.users.includes(userId),
    hide: (secret: string) => void facts.hidden.push(secret),
    agent: {
      threads: {
        get: async () => {
          throw errors.notFound();
        },
      },
      lanes: {
        send: async (_sender: object, _threadId: string, { text }: { text: string }) => {
          if (facts.fails) throw errors.tooManyRequests();
          facts.texts.push(text);
          return { requestId: `msg_${facts.texts.length}` };
        },
      },
    },
  };
  const hooks = createHooks(needs);
  const { id, secret } = await hooks.create('ada', { name: 'deploys', groups: [] });
  const signed = { secret, id: 'msg_1', timestamp: String(clock.now() / 1_000), version: 'v1', body: '{}' };
  /** One delivery of Standard Webhooks, signed as it says. */
  const deliver = (more: Partial<typeof signed> = {}) => {
    const { body: text, version, ...given } = { ...signed, ...more };
    const body = Buffer.from(text);
    const [, signature = ''] = signStandard(given.secret, { ...given, body }).split(',');
    const headers = {
      webhookId: given.id,
      webhookTimestamp: given.timestamp,
      webhookSignature: `${version},${signature}`,
      bodySignature: undefined,
    };
    return hooks.receive({ name: 'deploys', headers, body });
  };
  const nothing = { webhookId: undefined, webhookTimestamp: undefined, webhookSignature: undefined };
  const deliverBody = (text: string) => {
    const body = Buffer.from(text);
    const headers = { ...nothing, bodySignature: signBody(secret, body) };
    return hooks.receive({ name: 'deploys', headers, body });
  };
  return { db, clock, store, facts, needs, hooks, id, secret, signed, deliver, deliverBody };
};

it.each([
  ['another version', { version: 'v2' }],
  ['a long id', { id: 'x'.repeat(129) }],
  ['a timestamp in hexadecimal', { timestamp: `0x${start.toString(16)}` }],
  ['a timestamp with a fraction', { timestamp: `${start}.5` }],
  ['a timestamp 5 minutes and a second before the time of the server', { timestamp: `${start - 301}` }],
  ['a timestamp 5 minutes and a second after it', { timestamp: `${start + 301}` }],
  ['no timestamp', { timestamp: '' }],
  ['the key of another', { secret: 'whsec_AAAA' }],
])('WH-02 a delivery with %s is refused, however well it is signed', async (_of, more) => {
  const { facts, deliver } = await world();
  await expect(deliver(more)).rejects.toMatchObject(unauthorized);
  expect(facts.texts).toEqual([]);
  expect(await deliver()).toEqual({ sessionId: expect.any(String), requestId: 'msg_1' });
});

it('WH-02 the clock of the sender may be off by 5 minutes', async () => {
  const { deliver } = await world();
  for (const [id, timestamp] of [
    ['early', `${start - 300}`],
    ['late', `${start + 300}`],
  ] as const)
    expect(await deliver({ id, timestamp })).toHaveProperty('requestId');
});

it('WH-03 a delivery counts once for 24 h, by its id or by its body', async () => {
  const { clock, facts, deliver, deliverBody } = await world();
  const repeat = { duplicate: true };
  await deliver();
  await deliverBody('{}');
  clock.advance(day - 1);
  const timestamp = String(Math.floor(clock.now() / 1_000));
  expect(await Promise.all([deliver({ timestamp }), deliverBody('{}')])).toEqual([repeat, repeat]);
  clock.advance(2);
  await deliver({ timestamp });
  await deliverBody('{}');
  expect(facts.texts).toHaveLength(4);
});

it('WH-03 one of many at once is accepted', async () => {
  const { facts, deliver } = await world();
  const answers = await Promise.all(Array.from({ length: 20 }, () => deliver()));
  expect(answers.filter((answer) => 'requestId' in answer)).toHaveLength(1);
  expect(facts.texts).toHaveLength(1);
});

it('WH-03 what the agent refuses can be sent again, and what it accepted is not sent twice', async () => {
  const { facts, needs, deliver, signed } = await world();
  facts.fails = true;
  await expect(deliver()).rejects.toMatchObject({ code: 'TOO_MANY_REQUESTS' });
  facts.fails = false;
  expect(await deliver()).toMatchObject({ requestId: 'msg_1' });
  const noteUse = async () => {
    throw errors.storeUnavailable();
  };
  const hooks = createHooks({ ...needs, store: { ...needs.store, noteUse } });
  const id = 'msg_2';
  const body = Buffer.from(signed.body);
  const headers = {
    webhookId: id,
    webhookTimestamp: signed.timestamp,
    webhookSignature: signStandard(signed.secret, { id, timestamp: signed.timestamp, body }),
    bodySignature: undefined,
  };
  const delivery = { name: 'deploys', headers, body };
  await expect(hooks.receive(delivery)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  expect(await hooks.receive(delivery)).toEqual({ duplicate: true });
  expect(facts.texts).toHaveLength(2);
});

it('WH-01 the agent sees the first 60,000 characters of a body, and how many there are', async () => {
  const { facts, deliver } = await world();
  await deliver({ body: 'x'.repeat(70_000) });
  expect(facts.texts[0]).toContain('cut after 60000 of 70000 characters');
  expect(/x{60,}/.exec(facts.texts[0] ?? '')?.[0]).toHaveLength(60_000);
});

it('WH-05 the hook of an account that was disabled accepts nothing, also where its row is left', async () => {
  const { facts, deliver } = await world();
  facts.users = ['ben'];
  await expect(deliver()).rejects.toMatchObject(unauthorized);
});

it('WH-05 a removed hook leaves no delivery, and no one removes that of another', async () => {
  const { db, facts, hooks, id, secret, deliver } = await world();
  const deliveries = () => db.selectFrom('onceKeys').selectAll().execute();
  await deliver();
  await expect(hooks.remove('ben', id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect(await deliveries()).toHaveLength(1);
  await hooks.remove('ada', id);
  expect([await hooks.list('ada'), await deliveries()]).toEqual([[], []]);
  const { id: hookId } = await hooks.create('ada', { name: 'again', groups: [] });
  const row = { scope: `hook ${hookId}`, digest: '', subject: hookId, userId: 'ada', claimedUntil: null };
  await db
    .insertInto('onceKeys')
    .values({ ...row, key: 'id msg_1', at: 1, endsAt: 2 })
    .execute();
  await hooks.removeAll('ben');
  expect([await hooks.list('ada'), await deliveries()]).toMatchObject([{ length: 1 }, { length: 1 }]);
  await hooks.removeAll('ada');
  expect([await hooks.list('ada'), await deliveries()]).toEqual([[], []]);
  expect(facts.hidden[0]).toBe(secret);
});
