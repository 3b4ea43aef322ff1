import { createFakeClock } from '@drawbridge/kit';
import { notKeptBytes } from '@drawbridge/contracts/tool-call';
import { afterEach, describe, expect, it } from 'vitest';
import { callerOf, connect, openGateway, text, type GatewayFixture } from '../../../test/gateway-fixture.ts';
import { createStoringBudget } from './storing-budget.ts';

let fixture: GatewayFixture | undefined;
afterEach(() => fixture?.close());

const mebibyte = 1024 * 1024;
const ended = { door: 'trpc', until: 'ended' } as const;
const via = (id: string) => ({ kind: 'token' as const, id, name: id });

const begin = async (limits: { storedBytesPerDay?: number } = {}) => {
  const opened = await openGateway({ limits });
  fixture = opened;
  const { gateway, clock } = opened;
  const { key, stream } = await connect(gateway, 'ada');
  /** Makes a call with arguments of that length, and answers it with a result of the other. */
  const call = async (length: number, { token, result = 1 }: { token?: string; result?: number } = {}) => {
    const before = stream.requests().length;
    const options = { ...ended, ...(token !== undefined && { via: via(token) }) };
    const run = callerOf(gateway, 'ada').run(
      { name: 'write_file', arguments: { text: 'x'.repeat(length) } },
      options,
    );
    run.catch(() => {});
    await clock.settle();
    const requestId = stream.requests().at(before)?.requestId;
    if (requestId !== undefined) await gateway.daemon.respond(key, requestId, text('x'.repeat(result)));
    return run;
  };
  return { ...opened, call };
};

describe('NJ-01: what a call leaves in the store', () => {
  it.each([
    [60 * 1024, false],
    [65 * 1024, true],
    [3 * mebibyte, true],
  ])('arguments of %d bytes are a digest once it has ended: %s', async (length, isDigest) => {
    const { call, gateway, database } = await begin();
    const { requestId } = await call(length);
    const { arguments: args } = await gateway.calls.get('ada', requestId);
    expect(notKeptBytes(args)).toBe(isDigest ? length + '{"text":""}'.length : null);
    const row = await database.db
      .selectFrom('calls')
      .select('arguments')
      .where('requestId', '=', requestId)
      .executeTakeFirstOrThrow();
    expect(row.arguments.length < 200).toBe(isDigest);
  });

  it('is bounded for each token, client and person, and day, with the time to wait', async () => {
    const { call } = await begin({ storedBytesPerDay: mebibyte });
    const refused = { code: 'STORED_TOO_MUCH', retryAfterSeconds: expect.any(Number) };
    await call(600 * 1024, { token: 'a' });
    await expect(call(600 * 1024, { token: 'a' })).rejects.toMatchObject(refused);
    // Another token, and the person, have a budget of their own; results count too.
    await call(600 * 1024, { token: 'b' });
    await call(1, { result: 900 * 1024 });
    await expect(call(200 * 1024)).rejects.toMatchObject(refused);
    expect((await call(1, { token: 'a' })).state).toBe('succeeded');
  });

  it('is counted anew at 0:00 UTC', () => {
    const clock = createFakeClock();
    const budget = createStoringBudget({ clock, bytesPerDay: 100 });
    const maker = { userId: 'ada', via: null };
    budget.count(maker, 90);
    expect(() => budget.require(maker, 10)).not.toThrow();
    const left = 86_400 - ((clock.now() / 1_000) % 86_400);
    const refused = expect.objectContaining({ code: 'STORED_TOO_MUCH', retryAfterSeconds: Math.ceil(left) });
    expect(() => budget.require(maker, 11)).toThrow(refused);
    clock.advance(left * 1_000);
    expect(() => budget.require(maker, 11)).not.toThrow();
  });
});
