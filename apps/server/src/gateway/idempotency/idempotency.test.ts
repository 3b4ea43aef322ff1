import type { CallVia } from '@drawbridge/contracts/calls';
import type { ToolCall } from '@drawbridge/contracts/tool-call';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  connect,
  openGateway,
  question,
  text,
  type FakeStream,
  type FixtureOptions,
  type GatewayFixture,
  callerOf,
} from '../../../test/gateway-fixture.ts';
import type { CallClaim, CallOrigin } from './idempotency.ts';

const via = { kind: 'token', id: 't1', name: 'Desk' } as const;
const write: ToolCall = { name: 'write_file', arguments: { filePath: 'a.txt', content: 'a' } };
const reordered = { name: 'write_file', arguments: { content: 'a', filePath: 'a.txt', _confirmation: 'x' } };

const open = async (options: FixtureOptions = {}) => {
  const fixture = await openGateway(options);
  onTestFinished(fixture.close);
  return fixture;
};

const claim = async (
  { gateway }: GatewayFixture,
  origin: Partial<CallOrigin> = {},
  call = write,
  user = 'ada',
) => {
  const machineId = (await gateway.machines.default(user))?.machineId ?? 'none';
  return gateway.idempotency.claim(user, call, { via, machineId, ...origin });
};

const newOne = (claimed: CallClaim) => {
  if (claimed.kind !== 'new') throw new Error('The call is a repeat');
  return claimed;
};

/** Makes the call that was claimed and lets the machine answer it. */
const make = async (
  fixture: GatewayFixture,
  claimed: CallClaim,
  { call = write, of = via as CallVia } = {},
) => {
  const claim = newOne(claimed);
  const { requestId, settle } = claim;
  const running = callerOf(fixture.gateway, 'ada').run(call, {
    door: 'mcp',
    via: of,
    until: 'asked',
    claim,
  });
  // A server that is stopped lets its callers go.
  running.catch(() => {});
  await settle(true);
  return { requestId, running };
};

describe('with an idempotency key', () => {
  it('MC-15 the first call is named again, after a restart too, for a day', async () => {
    const first = await open();
    const { key, stream } = await connect(first.gateway, 'ada');
    const { requestId, running } = await make(first, await claim(first, { key: 'k1' }));
    const repeat = { kind: 'repeat', first: requestId, by: 'key' };
    expect(await claim(first, { key: 'k1' }, reordered)).toEqual(repeat);
    await expect.poll(() => stream.requests().length).toBe(1);
    await first.gateway.daemon.respond(key, requestId, text('written'));
    await running;
    const after = await first.crash();
    after.clock.advance(24 * 3_600_000 - 1);
    expect(await claim(after, { key: 'k1' })).toEqual(repeat);
    after.clock.advance(1);
    expect(await claim(after, { key: 'k1' })).toMatchObject({ kind: 'new' });
  });

  it.each([
    ['another token', { key: 'k1', via: { ...via, id: 't2' } }, write, 'ada'],
    ['a client of the same id', { key: 'k1', via: { ...via, kind: 'client' as const } }, write, 'ada'],
    ['another user', { key: 'k1' }, write, 'bob'],
    ['another key', { key: 'k2' }, write, 'ada'],
    ['none', {}, write, 'ada'],
  ])('%s is not concerned', async (_, origin, call, user) => {
    const fixture = await open();
    await connect(fixture.gateway, 'ada');
    await make(fixture, await claim(fixture, { key: 'k1' }));
    expect(await claim(fixture, origin, call, user)).toMatchObject({ kind: 'new' });
  });

  it.each([
    ['tool', { name: 'read_file', arguments: write.arguments }],
    ['arguments', { name: 'write_file', arguments: { ...write.arguments, content: 'b' } }],
  ])('another %s is refused', async (_, call) => {
    const fixture = await open();
    await connect(fixture.gateway, 'ada');
    await make(fixture, await claim(fixture, { key: 'k1' }));
    await expect(claim(fixture, { key: 'k1' }, call)).rejects.toMatchObject({
      code: 'IDEMPOTENCY_KEY_REUSED',
    });
  });

  it('of many at once one is the first; when it could not be made, the next is', async () => {
    const fixture = await open();
    await connect(fixture.gateway, 'ada');
    const claims = Array.from({ length: 20 }, () => claim(fixture, { key: 'k1' }));
    const { at, refused } = await Promise.race(
      claims.map(async (one, index) => ({ at: index, refused: newOne(await one) })),
    );
    await refused.settle(false);
    const others = claims.toSpliced(at, 1);
    const second = await Promise.race(others);
    const { requestId } = await make(fixture, second);
    const all = await Promise.all(others);
    expect(all.filter(({ kind }) => kind === 'new')).toHaveLength(1);
    expect(all.filter((one) => one.kind === 'repeat' && one.first === requestId)).toHaveLength(18);
  });

  it('a key of a server that ended before it made the call is free', async () => {
    const fixture = await open();
    newOne(await claim(fixture, { key: 'k1' }));
    expect(await claim(await fixture.crash(), { key: 'k1' })).toMatchObject({ kind: 'new' });
  });

  it('MC-20 a token has a bounded number a day, apart from its other rows and from other tokens', async () => {
    const fixture = await open({ limits: { maxIdempotencyKeys: 2 } });
    await connect(fixture.gateway, 'ada');
    for (const key of ['k1', 'k2']) {
      const { requestId } = await make(fixture, await claim(fixture, { key }));
      await fixture.gateway.idempotency.undelivered('ada', requestId);
      await fixture.gateway.idempotency.consumeNonce({ userId: 'ada', via, name: key });
    }
    await expect(claim(fixture, { key: 'k3' })).rejects.toMatchObject({ code: 'TOO_MANY_REQUESTS' });
    expect(await claim(fixture, { key: 'k1' })).toMatchObject({ kind: 'repeat' });
    for (const other of [
      { ...via, id: 't2' },
      { ...via, kind: 'client' as const },
    ])
      expect(await claim(fixture, { key: 'k3', via: other })).toMatchObject({ kind: 'new' });
    expect(await claim(fixture, { key: 'k3' }, write, 'bob')).toMatchObject({ kind: 'new' });
    fixture.clock.advance(24 * 3_600_000);
    expect(await claim(fixture, { key: 'k3' })).toMatchObject({ kind: 'new' });
  });
});

describe('without a key', () => {
  const answered = async (fixture: GatewayFixture, call = write) => {
    const { key, stream } = await connect(fixture.gateway, 'ada');
    const { requestId, running } = await make(fixture, await claim(fixture, {}, call), { call });
    await expect.poll(() => stream.requests().length).toBe(1);
    await fixture.gateway.daemon.respond(key, requestId, text('written'));
    await running;
    return requestId;
  };

  it('MC-15 a call with an undelivered answer is repeated for 60 s, also after a restart', async () => {
    const first = await open();
    const requestId = await answered(first);
    expect(await claim(first)).toMatchObject({ kind: 'new' });
    await first.gateway.idempotency.undelivered('ada', requestId);
    const fixture = await first.crash();
    fixture.clock.advance(59_999);
    expect(await claim(fixture, {}, reordered)).toEqual({
      kind: 'repeat',
      first: requestId,
      by: 'undelivered',
    });
    fixture.clock.advance(1);
    expect(await claim(fixture)).toMatchObject({ kind: 'new' });
  });

  it.each([
    ['other arguments', { ...write, arguments: {} }, {}],
    ['another token', write, { via: { ...via, id: 't2' } }],
    ['a key', write, { key: 'k1' }],
  ])('%s makes a new call', async (_, call, origin) => {
    const fixture = await open();
    await fixture.gateway.idempotency.undelivered('ada', await answered(fixture));
    expect(await claim(fixture, origin, call)).toMatchObject({ kind: 'new' });
  });

  it('a reading tool runs again', async () => {
    const fixture = await open();
    const read = { name: 'read_file', arguments: { filePath: 'a.txt', content: '' } };
    await fixture.gateway.idempotency.undelivered('ada', await answered(fixture, read));
    expect(await claim(fixture, {}, read)).toMatchObject({ kind: 'new' });
  });

  it('once it was read, the same call is a new one', async () => {
    const fixture = await open();
    const requestId = await answered(fixture);
    await fixture.gateway.idempotency.undelivered('ada', requestId);
    await fixture.gateway.idempotency.delivered('bob', requestId);
    expect(await claim(fixture)).toMatchObject({ kind: 'repeat' });
    await fixture.gateway.idempotency.delivered('ada', requestId);
    expect(await claim(fixture)).toMatchObject({ kind: 'new' });
  });

  it('MC-20 a token has a bounded number; the oldest is dropped, and none of another token', async () => {
    const fixture = await open({ limits: { maxUnread: 2 } });
    const { stream } = await connect(fixture.gateway, 'ada');
    const idsOf = (from: FakeStream) => from.requests().map(({ requestId }) => requestId);
    const numbered = (at: number) => ({ ...write, arguments: { ...write.arguments, content: String(at) } });
    const leave = async (at: number, of: CallVia = via) => {
      const call = numbered(at);
      const { requestId } = await make(fixture, await claim(fixture, { via: of }, call), { call, of });
      await expect.poll(() => idsOf(stream)).toContain(requestId);
      await fixture.gateway.idempotency.undelivered('ada', requestId);
      fixture.clock.advance(1);
    };
    const other = { ...via, id: 't2' };
    await leave(1, other);
    for (const at of [1, 2, 3]) await leave(at);
    const kinds = await Promise.all([1, 2, 3].map((at) => claim(fixture, {}, numbered(at))));
    expect(kinds.map(({ kind }) => kind)).toEqual(['new', 'repeat', 'repeat']);
    expect((await claim(fixture, { via: other }, numbered(1))).kind).toBe('repeat');
  });

  it('another user cannot mark a call as undelivered', async () => {
    const fixture = await open();
    const requestId = await answered(fixture);
    await fixture.gateway.idempotency.undelivered('bob', requestId);
    expect(await claim(fixture)).toMatchObject({ kind: 'new' });
  });

  it('a call that was stopped before it began is made anew; one that may have run is not', async () => {
    const fixture = await open();
    const { key, stream } = await connect(fixture.gateway, 'ada');
    const { requestId } = await make(fixture, await claim(fixture));
    await expect.poll(() => stream.requests().length).toBe(1);
    await fixture.gateway.daemon.respond(key, requestId, question());
    await fixture.gateway.idempotency.undelivered('ada', requestId);
    expect(await claim(fixture)).toMatchObject({ kind: 'repeat', first: requestId });
    await fixture.gateway.calls.cancel('ada', requestId);
    const again = await make(fixture, await claim(fixture));
    await expect.poll(() => stream.requests().length).toBe(2);
    await fixture.gateway.calls.cancel('ada', again.requestId);
    await fixture.gateway.idempotency.undelivered('ada', again.requestId);
    expect(await claim(fixture)).toMatchObject({ kind: 'repeat', first: again.requestId });
  });

  it('MC-15 a call that a stopped server left open does not run a second time', async () => {
    const fixture = await open();
    const { stream } = await connect(fixture.gateway, 'ada');
    const { requestId } = await make(fixture, await claim(fixture));
    await expect.poll(() => stream.requests().length).toBe(1);
    expect(await claim(await fixture.crash())).toEqual({
      kind: 'repeat',
      first: requestId,
      by: 'undelivered',
    });
  });
});

describe('nonces', () => {
  const spend = ({ gateway }: GatewayFixture, name: string, more: { userId?: string; via?: CallVia } = {}) =>
    gateway.idempotency.consumeNonce({ userId: 'ada', via, name, ...more });

  it('is used once, after a restart too', async () => {
    const fixture = await open();
    expect(await spend(fixture, 'state')).toBe(true);
    expect(await spend(fixture, 'state')).toBe(false);
    expect(await spend(fixture, 'state', { userId: 'bob' })).toBe(true);
    expect(await spend(await fixture.crash(), 'state')).toBe(false);
  });

  it('MC-20 is so much of one token in a day', async () => {
    const fixture = await open({ limits: { maxSpentStates: 2 } });
    expect([await spend(fixture, 's1'), await spend(fixture, 's2')]).toEqual([true, true]);
    await expect(spend(fixture, 's3')).rejects.toMatchObject({ code: 'TOO_MANY_REQUESTS' });
    expect(await spend(fixture, 's1')).toBe(false);
    expect(await spend(fixture, 's3', { via: { ...via, id: 't2' } })).toBe(true);
    fixture.clock.advance(24 * 3_600_000);
    expect(await spend(fixture, 's4')).toBe(true);
  });
});

it('rows older than a day are deleted with the next write, of all users', async () => {
  const fixture = await open();
  const rows = ({ database }: GatewayFixture) =>
    database.db.selectFrom('onceKeys').select(['userId', 'scope']).execute();
  await connect(fixture.gateway, 'ada');
  await make(fixture, await claim(fixture, { key: 'k1' }));
  await fixture.gateway.idempotency.consumeNonce({ userId: 'bob', via, name: 'state' });
  expect(await rows(fixture)).toEqual([
    { userId: 'ada', scope: '["key","ada","token","t1"]' },
    { userId: 'bob', scope: '["spent","bob","token","t1"]' },
  ]);
  fixture.clock.advance(24 * 3_600_000);
  await fixture.gateway.idempotency.consumeNonce({ userId: 'cleo', via, name: 'state' });
  expect((await rows(fixture)).map(({ userId }) => userId)).toEqual(['cleo']);
});
