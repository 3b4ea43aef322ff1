import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import {
  connect,
  ended,
  idOf,
  openGateway,
  question,
  text,
  useGateway,
  type FakeStream,
  type FixtureOptions,
  type GatewayFixture,
  callerOf,
} from '../../../test/gateway-fixture.ts';

const fixture = useGateway();
const dayMs = 24 * 60 * 60 * 1_000;
const keptMs = 90 * dayMs;
const pauseMs = 50;
const write = { name: 'write_file', arguments: {} };

/** Begins, and goes from pause to pause; `finish` runs it to its end. */
const begin = (
  { gateway, clock }: Pick<GatewayFixture, 'gateway' | 'clock'>,
  signal = new AbortController().signal,
) => {
  const others = clock.waiting();
  let over = false;
  const end = () => {
    over = true;
  };
  const done = gateway.retention.forgetOld(signal);
  done.then(end, end);
  return {
    done,
    /** Resolves when it pauses. */
    paused: () => expect.poll(() => clock.waiting()).toBe(others + 1),
    goOn: () => clock.advance(pauseMs),
    finish: async () => {
      while (!over) await clock.settle(pauseMs);
      await done;
    },
  };
};
const forgetAll = () => begin(fixture).finish();

const idsOf = async (table: 'calls' | 'confirmations') => {
  const rows = await fixture.database.db.selectFrom(table).select('requestId').orderBy('requestId').execute();
  return rows.map(({ requestId }) => requestId);
};

interface Copies {
  count: number;
  /** How long ago they ended; they were made an hour before. */
  agoMs: number;
  name?: string;
  user?: string;
  /** Of the result. */
  bytes?: number;
}

/** One call that has just ended, with its answered question. */
const callOf = async ({ gateway, clock }: Pick<GatewayFixture, 'gateway' | 'clock'>) => {
  const { key, stream } = await connect(gateway, 'ada');
  void callerOf(gateway, 'ada')
    .run(write, ended)
    .catch(() => {});
  await clock.settle();
  const requestId = idOf(stream);
  await gateway.daemon.respond(key, requestId, question());
  await gateway.confirmations.decide('ada', { requestId }, { approved: true });
  await gateway.daemon.respond(key, requestId, text('written'));
  return { key, stream, requestId };
};

const copy = async (
  { database: { db }, clock }: Pick<GatewayFixture, 'database' | 'clock'>,
  copies: Copies,
) => {
  const { count, agoMs, name = 'old', user = 'ada', bytes = 10 } = copies;
  const call = await db.selectFrom('calls').selectAll().executeTakeFirstOrThrow();
  const asked = await db.selectFrom('confirmations').selectAll().executeTakeFirstOrThrow();
  const endedAt = clock.now() - agoMs;
  const of = { userId: user, createdAt: endedAt - 3_600_000 };
  const result = JSON.stringify({ content: [{ type: 'text', text: 'x'.repeat(bytes) }] });
  const ids = Array.from({ length: count }, (_, at) => `${name}-${String(at).padStart(4, '0')}`);
  await db
    .insertInto('calls')
    .values(ids.map((requestId) => ({ ...call, ...of, requestId, result, endedAt })))
    .execute();
  await db
    .insertInto('confirmations')
    .values(ids.map((requestId) => ({ ...asked, ...of, id: requestId, requestId })))
    .execute();
};

const world = async (options: FixtureOptions, ...all: Copies[]) => {
  await fixture.open(options);
  const made = await callOf(fixture);
  for (const copies of all) await copy(fixture, copies);
  return made;
};

describe('PS-12 calls that have ended', () => {
  it.each([
    ['90 days by default', {}, keptMs],
    ['a day', { keepCallsMs: dayMs }, dayMs],
  ])('go with their questions after %s, whosever they are', async (_name, limits, agoMs) => {
    const { requestId } = await world(
      { limits },
      { name: 'over', count: 1, agoMs },
      { name: 'younger', count: 1, agoMs: agoMs - 1 },
      { name: 'of-another', user: 'zoe', count: 1, agoMs: 400 * dayMs },
    );
    await forgetAll();
    const left = [requestId, 'younger-0000'];
    expect({ calls: await idsOf('calls'), questions: await idsOf('confirmations') }).toEqual({
      calls: left,
      questions: left,
    });
    expect(fixture.log).toContainEqual({ calls: 2, sentence: 'deleted old calls' });
  });

  it('stay with unlimited retention', async () => {
    await world({ limits: { keepCallsMs: null } }, { count: 3, agoMs: 4_000 * dayMs });
    await forgetAll();
    expect(await idsOf('calls')).toHaveLength(4);
  });

  it('go in steps of 50, with a pause in which others have their turn', async () => {
    const { key, stream } = await world({}, { count: 120, agoMs: keptMs });
    const { paused, goOn, finish } = begin(fixture);
    const left: number[] = [];
    for (let step = 0; step < 3; step += 1) {
      await paused();
      left.push((await idsOf('calls')).length);
      const call = callerOf(fixture.gateway, 'ada').run(write, ended);
      await expect.poll(() => stream.requests()).toHaveLength(3 + step);
      await fixture.gateway.daemon.respond(key, idOf(stream), text('meanwhile'));
      await call;
      goOn();
    }
    await finish();
    // One more is made in each pause.
    expect([...left, (await idsOf('calls')).length]).toEqual([71, 22, 3, 4]);
    expect(fixture.log).toContainEqual({ calls: 120, sentence: 'deleted old calls' });
  });

  it.each([
    ['of more than 1 MiB together one by one', 600_000, [3, 2, 1]],
    ['of 1 MiB together at once', 520_000, [2, 1]],
    ['of more than 1 MiB each one by one', 2_000_000, [3, 2, 1]],
  ])('go, when they are %s', async (_name, bytes, expected) => {
    await world({}, { count: 3, agoMs: keptMs, bytes });
    const { paused, goOn, finish } = begin(fixture);
    const left: number[] = [];
    for (const _step of expected) {
      await paused();
      left.push((await idsOf('calls')).length);
      goOn();
    }
    await finish();
    expect(left).toEqual(expected);
  });

  it('no more of them go when the server stops', async () => {
    await world({}, { count: 120, agoMs: keptMs });
    const stopping = new AbortController();
    const { done, paused } = begin(fixture, stopping.signal);
    await paused();
    stopping.abort('stopped');
    await expect(done).rejects.toBe('stopped');
    await fixture.clock.settle(1_000);
    expect(await idsOf('calls')).toHaveLength(71);
  });

  it('go also where the store cannot delete one of them', async () => {
    const opened = await openGateway();
    const { database } = opened;
    await callOf(opened);
    await copy(opened, { count: 3, agoMs: keptMs });
    await sql`create trigger damaged before delete on calls when old."requestId" = 'old-0001'
      begin select raise(abort, 'damaged'); end`.execute(database.db);
    await begin(opened).finish();
    const left = await database.db.selectFrom('calls').select('requestId').execute();
    expect(left.map(({ requestId }) => requestId)).toContain('old-0001');
    expect(left).toHaveLength(2);
    expect(opened.errors).toMatchObject([{ message: expect.stringContaining('damaged') }]);
    await opened.close();
    await fixture.open();
  });
});

it('PS-12 an open call stays, however old it is', async () => {
  const { key, stream } = await world({ limits: { keepCallsMs: 1_000 } });
  void callerOf(fixture.gateway, 'ada')
    .run(write, ended)
    .catch(() => {});
  await fixture.clock.settle();
  const requestId = idOf(stream);
  await fixture.gateway.daemon.respond(key, requestId, question({ askId: 'ask-2' }));
  await fixture.clock.settle(60_000);
  await forgetAll();
  expect(await idsOf('calls')).toEqual([requestId]);
  expect(await idsOf('confirmations')).toEqual([requestId]);
  expect(await fixture.gateway.confirmations.list('ada')).toMatchObject([{ requestId, state: 'open' }]);
});

describe('PS-12 keys that do not hold any more', () => {
  it.each([
    ['a token that was used', () => Promise.resolve(), ['session']],
    [
      'an expired token',
      async () => {
        await fixture.gateway.pairing.createLink('zoe');
        await fixture.clock.settle(5 * 60_000);
      },
      ['session'],
    ],
    [
      'none: a token that can be used',
      () => fixture.gateway.pairing.createLink('zoe'),
      ['pairing', 'session'],
    ],
    ['a revoked key', ({ key }: { key: string }) => fixture.gateway.daemon.disconnect(key), []],
    [
      'a key that was left alone for 30 days',
      async ({ stream }: { stream: FakeStream }) => {
        stream.drop();
        await fixture.clock.settle(30 * dayMs);
      },
      [],
    ],
  ])('go: %s', async (_name, change, left) => {
    await change(await world({}));
    await forgetAll();
    const rows = await fixture.database.db.selectFrom('gatewayKeys').select('kind').orderBy('kind').execute();
    expect(rows.map(({ kind }) => kind)).toEqual(left);
  });

  it('go in steps of 500', async () => {
    await world({});
    const key = await fixture.database.db.selectFrom('gatewayKeys').selectAll().executeTakeFirstOrThrow();
    const dead = Array.from({ length: 600 }, (_, at) => ({ ...key, digest: `dead-${at}`, revokedAt: 1 }));
    await fixture.database.db.insertInto('gatewayKeys').values(dead).execute();
    const { paused, goOn, finish } = begin(fixture);
    const left: number[] = [];
    for (const _step of [1, 2]) {
      await paused();
      left.push((await fixture.database.db.selectFrom('gatewayKeys').select('kind').execute()).length);
      goOn();
    }
    await finish();
    expect(left).toEqual([102, 1]);
    expect(fixture.log).toEqual([{ keys: 601, sentence: 'deleted expired and revoked keys' }]);
  });
});

it('PS-12 idempotency rows are deleted after a day', async () => {
  await world({});
  const row = { userId: 'ada', digest: '', scope: 'key', claimedUntil: null };
  const at = fixture.clock.now();
  await fixture.database.db
    .insertInto('onceKeys')
    .values([
      { ...row, key: 'a', subject: 'day-old', at: at - dayMs, endsAt: at },
      { ...row, key: 'b', subject: 'younger', at: at - dayMs + 60_000, endsAt: at + 60_000 },
    ])
    .execute();
  await forgetAll();
  const left = await fixture.database.db.selectFrom('onceKeys').select('subject').execute();
  expect(left).toEqual([{ subject: 'younger' }]);
});
