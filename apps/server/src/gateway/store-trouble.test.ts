import { machineStatus } from '../callers/index.ts';
import { sql } from 'kysely';
import { afterEach, describe, expect, it } from 'vitest';
import {
  connect,
  openGateway,
  question,
  text,
  type FakeStream,
  type GatewayFixture,
  callerOf,
} from '../../test/gateway-fixture.ts';

let fixture: GatewayFixture;
afterEach(() => fixture.close());

const ended = { door: 'trpc', until: 'ended' } as const;
/** More than fits beside what is there. */
const long = 'x'.repeat(100_000);
const write = { name: 'write_file', arguments: { text: long } };
const unavailable = { code: 'STORE_UNAVAILABLE' };
const idOf = (stream: FakeStream, at = -1) => stream.requests().at(at)?.requestId ?? 'none';

/** What SQLite answers when the disk takes no page more, and when the file may not be written. */
const troubles = [
  ['full', { begin: 'max_page_count = 1', end: 'max_page_count = 1000000' }],
  ['read-only', { begin: 'query_only = 1', end: 'query_only = 0' }],
] as const;

const pragma = (text_: string) => sql.raw(`pragma ${text_}`).execute(fixture.database.db);

describe.each(troubles)('PS-06 while the store is %s', (_name, { begin, end }) => {
  it('a new call is refused and never sent; reads continue; it recovers without a restart', async () => {
    fixture = await openGateway();
    const { gateway, clock } = fixture;
    const { key, stream } = await connect(gateway, 'ada');
    await pragma(begin);
    await expect(callerOf(gateway, 'ada').run(write, ended)).rejects.toMatchObject(unavailable);
    await clock.settle();
    expect(stream.requests()).toEqual([]);
    expect(await gateway.calls.list('ada', { limit: 9 })).toEqual({ calls: [], nextCursor: null });
    expect(await machineStatus(gateway, { userId: 'ada' })).toMatchObject({ state: 'online' });
    await pragma(end);
    const call = callerOf(gateway, 'ada').run(write, ended);
    await clock.settle();
    await gateway.daemon.respond(key, idOf(stream), text('written'));
    expect(await call).toMatchObject({ state: 'succeeded' });
  });

  it('a result is refused, so that its daemon keeps and resends it', async () => {
    fixture = await openGateway();
    const { gateway, clock } = fixture;
    const { key, stream } = await connect(gateway, 'ada');
    const call = callerOf(gateway, 'ada').run(write, ended);
    await clock.settle();
    await pragma(begin);
    await expect(gateway.daemon.respond(key, idOf(stream), text(long))).rejects.toMatchObject(unavailable);
    expect(await gateway.calls.get('ada', idOf(stream))).toMatchObject({ state: 'delivered' });
    await pragma(end);
    expect(await gateway.daemon.respond(key, idOf(stream), text(long))).toEqual({ ok: true });
    expect(await call).toMatchObject({ state: 'succeeded' });
  });

  it('C37: a call whose answer could not be stored in time says that it was the store', async () => {
    fixture = await openGateway();
    const { gateway, clock } = fixture;
    const { key, stream } = await connect(gateway, 'ada');
    const call = callerOf(gateway, 'ada').run(write, ended);
    await clock.settle();
    await pragma(begin);
    await expect(gateway.daemon.respond(key, idOf(stream), text(long))).rejects.toMatchObject(unavailable);
    await clock.settle(40_000);
    await pragma(end);
    await clock.settle(2_000);
    expect(await call).toMatchObject({
      state: 'timed-out',
      error: { ...unavailable, message: expect.stringContaining('The machine has answered') },
    });
  });

  it('a question is refused and not published', async () => {
    fixture = await openGateway();
    const { gateway, clock } = fixture;
    const told: string[] = [];
    gateway.confirmations.onChanged('ada', ({ confirmation }) => told.push(confirmation.requestId));
    const { key, stream } = await connect(gateway, 'ada');
    void callerOf(gateway, 'ada')
      .run(write, ended)
      .catch(() => {});
    await clock.settle();
    await pragma(begin);
    const asked = question({ description: long });
    await expect(gateway.daemon.respond(key, idOf(stream), asked)).rejects.toMatchObject(unavailable);
    expect(await gateway.confirmations.list('ada')).toEqual([]);
    expect(told).toEqual([]);
    await pragma(end);
    expect(await gateway.daemon.respond(key, idOf(stream), asked)).toEqual({ ok: true });
    expect(await gateway.confirmations.list('ada')).toHaveLength(1);
    expect(told).toEqual([idOf(stream)]);
  });
});

it('while the store is read-only a decision is refused, and the machine is not told', async () => {
  fixture = await openGateway();
  const { gateway, clock } = fixture;
  const { key, stream } = await connect(gateway, 'ada');
  void callerOf(gateway, 'ada')
    .run(write, ended)
    .catch(() => {});
  await clock.settle();
  const requestId = idOf(stream);
  await gateway.daemon.respond(key, requestId, question());
  await pragma('query_only = 1');
  const decide = () => gateway.confirmations.decide('ada', { requestId }, { approved: true });
  await expect(decide()).rejects.toMatchObject(unavailable);
  await expect(gateway.calls.cancel('ada', requestId)).rejects.toMatchObject(unavailable);
  expect([stream.requests().length, await gateway.confirmations.list('ada')]).toMatchObject([
    1,
    [{ state: 'open' }],
  ]);
  await pragma('query_only = 0');
  expect(await decide()).toMatchObject({ decision: 'allowOnce' });
  expect(stream.requests()).toHaveLength(2);
});

it('an end by time-out that could not be written down is written when the store can', async () => {
  fixture = await openGateway();
  const { gateway, clock } = fixture;
  const { stream } = await connect(gateway, 'ada');
  const call = callerOf(gateway, 'ada').run(write, ended);
  await clock.settle();
  await pragma('query_only = 1');
  await clock.settle(40_000);
  expect(await gateway.calls.get('ada', idOf(stream))).toMatchObject({ state: 'delivered' });
  await pragma('query_only = 0');
  await clock.settle(2_000);
  expect(await call).toMatchObject({ state: 'timed-out' });
});
