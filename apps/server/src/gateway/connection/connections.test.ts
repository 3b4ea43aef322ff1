import { connectedTools, disconnectMachine, machineStatus } from '../../callers/index.ts';
import type { StateChanged } from '@drawbridge/contracts/gateway';
import { describe, expect, it } from 'vitest';
import {
  connect,
  ended,
  initBody,
  openStream,
  text,
  useGateway,
  type FakeStream,
  callerOf,
  watchStatus,
} from '../../../test/gateway-fixture.ts';

const fixture = useGateway();

const read = { name: 'read_file', arguments: {} };
const forbidden = { code: 'FORBIDDEN', message: 'Forbidden' };
const farewell = (reason: string) => ({ type: 'gateway-disconnect', payload: { reason } });
const lastOf = (stream: FakeStream) => stream.events.at(-1);

const connected = async (body = initBody()) => {
  await fixture.open();
  const states: StateChanged['payload']['state'][] = [];
  watchStatus(fixture.gateway, 'ada', (event) => states.push(event.payload.state));
  const paired = await fixture.connect('ada', body);
  await fixture.clock.settle();
  return { ...fixture, states, ...paired };
};

/** What a reply tells a daemon that says who it is. */
const introduction = { features: expect.arrayContaining(['responses']), machine: expect.any(Object) };

describe('a pairing token', () => {
  it('can do exactly one thing', async () => {
    await fixture.open();
    const { gateway } = fixture;
    const { token } = await gateway.pairing.createLink('ada');
    const stream = { send: () => true, ready: () => Promise.resolve(), close: () => {} };
    for (const use of [
      () => gateway.daemon.openStream(token, stream),
      () => gateway.daemon.respond(token, 'x', text('x')),
      () => gateway.daemon.progress(token, 'x', {}),
      () => gateway.daemon.disconnect(token),
    ]) {
      await expect(use()).rejects.toMatchObject(forbidden);
    }
    expect(await gateway.daemon.init(token, initBody())).toMatchObject({ ok: true });
    await expect(gateway.daemon.init(token, initBody())).rejects.toMatchObject({
      code: 'PAIRING_TOKEN_USED',
    });
  });

  it('PK-07 gives way to the live session key in the link of the specification, never in that of the panel', async () => {
    const { gateway, key, clock } = await connected();
    const link = { token: key, command: `drawbridge ${key}`, expiresAt: null, ttlSeconds: null };
    expect(await gateway.pairing.createLinkAsSpecified('ada')).toEqual(link);
    expect(await gateway.pairing.createLink('ada')).toMatchObject({ token: expect.stringMatching(/^gw_/) });
    await disconnectMachine(gateway, { userId: 'ada' });
    await clock.settle();
    expect(await gateway.pairing.createLink('ada')).toMatchObject({
      token: expect.stringMatching(/^gw_/),
      ttlSeconds: 300,
    });
  });

  it('is in the log of the server', async () => {
    const { gateway } = await connected();
    await disconnectMachine(gateway, { userId: 'ada' });
    expect(fixture.connections).toEqual([
      'machine connected: ada-laptop',
      'machine disconnected: ada-laptop',
    ]);
  });

  it('of one user says nothing of another', async () => {
    const { gateway } = await connected();
    const { token } = await gateway.pairing.createLink('ben');
    await gateway.daemon.init(token, { ...initBody(), userId: 'ada', role: 'owner' } as never);
    expect(await machineStatus(gateway, { userId: 'ben' })).toMatchObject({ connected: true });
    expect(await machineStatus(gateway, { userId: 'cleo' })).toMatchObject({
      connected: false,
      directory: null,
    });
  });
});

describe('streams', () => {
  it('of one daemon that says so: the older one ends without a word, so that a connect that comes late ends no daemon', async () => {
    const { gateway, key, stream } = await connected();
    const { epoch = 0 } = await gateway.daemon.init(key, initBody());
    const newer = await openStream(gateway, { key, epoch });
    expect(stream.events).not.toContainEqual(farewell('replaced'));
    expect([stream.isClosed(), newer.isClosed()]).toEqual([true, false]);
  });

  it('the newest wins, and the closing of the older one changes nothing', async () => {
    const { gateway, key, stream, clock, states } = await connected();
    const newer = await openStream(gateway, key);
    expect([lastOf(stream), stream.isClosed()]).toEqual([farewell('replaced'), true]);
    stream.drop();
    await clock.settle(60_000);
    expect(await machineStatus(gateway, { userId: 'ada' })).toMatchObject({ state: 'online' });
    void callerOf(gateway, 'ada')
      .run(read, ended)
      .catch(() => {});
    await clock.settle();
    expect([stream.requests().length, newer.requests().length]).toEqual([0, 1]);
    expect(states).toEqual(['online']);
  });

  it('number their frames', async () => {
    const { gateway, stream, clock } = await connected();
    for (let time = 0; time < 3; time += 1)
      void callerOf(gateway, 'ada')
        .run(read, ended)
        .catch(() => {});
    await clock.settle();
    expect(stream.frameIds).toEqual([1, 2, 3]);
  });

  it('before init are refused', async () => {
    await fixture.open({ gatewayApiKey: 'k'.repeat(32) });
    await expect(fixture.openStream('k'.repeat(32))).rejects.toMatchObject(forbidden);
  });
});

describe('grace', () => {
  it('grows with each that ran out, and an init starts over', async () => {
    const { gateway, key, stream, clock, states } = await connected();
    let current = stream;
    for (const graceMs of [10_000, 20_000, 40_000, 80_000, 120_000, 120_000]) {
      current.drop();
      await clock.settle(graceMs - 1);
      expect(await machineStatus(gateway, { userId: 'ada' })).toMatchObject({
        connected: true,
        state: 'grace',
      });
      await clock.settle(1);
      expect(await machineStatus(gateway, { userId: 'ada' })).toEqual({
        connected: false,
        connectedAt: null,
        directory: null,
        hostIdentifier: null,
        toolCategories: [],
        state: 'offline',
      });
      current = await openStream(gateway, key);
      await clock.settle();
    }
    expect(await gateway.daemon.init(key, initBody())).toEqual({
      ok: true,
      epoch: 2,
      ...introduction,
    });
    current.drop();
    await clock.settle(9_999);
    expect(await machineStatus(gateway, { userId: 'ada' })).toMatchObject({ state: 'grace' });
    await clock.settle(1);
    expect(await machineStatus(gateway, { userId: 'ada' })).toMatchObject({ state: 'offline' });
    expect(states.slice(0, 4)).toEqual(['online', 'grace', 'offline', 'online']);
  });

  it('an init without a stream ends when its grace does', async () => {
    await fixture.open();
    const { gateway, clock } = fixture;
    await gateway.daemon.init((await gateway.pairing.createLink('ada')).token, initBody());
    expect(await machineStatus(gateway, { userId: 'ada' })).toMatchObject({ connected: true });
    await clock.settle(10_000);
    expect(await machineStatus(gateway, { userId: 'ada' })).toMatchObject({ connected: false });
  });

  it('is revoked by an explicit disconnect, which ends calls and the key', async () => {
    const { gateway, key, stream, clock } = await connected();
    const running = callerOf(gateway, 'ada').run(read, ended);
    await clock.settle();
    stream.drop();
    await gateway.daemon.disconnect(key);
    expect(await running).toMatchObject({
      state: 'failed',
      error: { message: 'Local gateway disconnected' },
    });
    expect(await machineStatus(gateway, { userId: 'ada' })).toMatchObject({ state: 'offline' });
    // The timers that every server has: last use of keys, and keys revoked by another process.
    expect(clock.waiting()).toBe(2);
    await expect(openStream(gateway, key)).rejects.toMatchObject(forbidden);
    await expect(gateway.daemon.init(key, initBody())).rejects.toMatchObject({ code: 'PAIRING_ENDED' });
  });
});

describe('a machine that disconnects', () => {
  it('by the user is told so, and its key is invalid at once', async () => {
    const { gateway, key, stream, states, clock } = await connected();
    await disconnectMachine(gateway, { userId: 'ada' });
    await clock.settle();
    expect([lastOf(stream), stream.isClosed(), states]).toEqual([
      farewell('user'),
      true,
      ['online', 'offline'],
    ]);
    await expect(gateway.daemon.respond(key, 'x', text('x'))).rejects.toMatchObject(forbidden);
    await disconnectMachine(gateway, { userId: 'ada' });
    await disconnectMachine(gateway, { userId: 'unknown-user' });
  });

  it('because it was paired again is told that it was replaced', async () => {
    const hostIdentifier = 'ada-laptop';
    const { gateway, key, stream, clock, database } = await connected();
    const running = callerOf(gateway, 'ada').run(read, ended);
    await clock.settle();
    // As after a restart: the plain key is forgotten, the link is a new token.
    await database.db
      .updateTable('gatewayKeys')
      .set({ revokedAt: 1 })
      .where('kind', '=', 'session')
      .execute();
    const { token } = await gateway.pairing.createLink('ada');
    await database.db
      .updateTable('gatewayKeys')
      .set({ revokedAt: null })
      .where('kind', '=', 'session')
      .execute();
    const { sessionKey } = await gateway.daemon.init(token, initBody({ hostIdentifier }));
    await clock.settle();
    expect([lastOf(stream), stream.isClosed()]).toEqual([farewell('replaced'), true]);
    expect(await running).toMatchObject({ state: 'failed', error: { code: 'DISCONNECTED' } });
    await expect(openStream(gateway, key)).rejects.toMatchObject(forbidden);
    await openStream(gateway, sessionKey ?? '');
    expect(await machineStatus(gateway, { userId: 'ada' })).toMatchObject({
      state: 'online',
      hostIdentifier,
    });
    const machines = await database.db
      .selectFrom('machines')
      .select(['hostIdentifier', 'epoch', 'connectedAt'])
      .execute();
    expect(machines).toEqual([{ hostIdentifier, epoch: 2, connectedAt: clock.now() }]);
  });
});

describe('an init', () => {
  it('names omitted tools and publishes changed ones', async () => {
    const { gateway, key, states, clock, database } = await connected();
    const tools = [
      { name: 'read_file', inputSchema: {} },
      { name: 'read_file', inputSchema: {} },
      { name: '__proto__', inputSchema: {} },
    ];
    expect(await gateway.daemon.init(key, initBody({ tools }))).toEqual({
      ok: true,
      epoch: 2,
      ...introduction,
      warnings: ['Tool "read_file" was skipped: the name is taken'],
    });
    await clock.settle();
    expect((await connectedTools(gateway, { userId: 'ada' })).map((tool) => tool.name)).toEqual([
      'read_file',
      '__proto__',
    ]);
    expect(states).toEqual(['online', 'online']);
    expect(await database.db.selectFrom('toolLists').select('digest').execute()).toHaveLength(1);
  });

  it('of two machines with equal tools keeps the list once', async () => {
    const { gateway, database } = await connected();
    await connect(gateway, 'ben', initBody({ hostIdentifier: 'ben-laptop' }));
    expect(await database.db.selectFrom('toolLists').select('digest').execute()).toHaveLength(1);
    expect(await connectedTools(gateway, { userId: 'ben' })).toEqual(
      await connectedTools(gateway, { userId: 'ada' }),
    );
  });
});

describe('the environment’s machine', () => {
  const gatewayApiKey = 'k'.repeat(32);

  it('is the owner’s while they have none of their own, and no other user’s', async () => {
    await fixture.open({ gatewayApiKey, owners: ['ada'] });
    const { gateway, clock } = fixture;
    const seen: string[] = [];
    const others: string[] = [];
    watchStatus(gateway, 'ada', (event) =>
      seen.push(`${event.payload.state} ${event.payload.hostIdentifier}`),
    );
    watchStatus(gateway, 'ben', (event) => others.push(event.payload.state));
    expect(await gateway.daemon.init(gatewayApiKey, initBody({ hostIdentifier: 'server' }))).toEqual({
      ok: true,
      epoch: 1,
      ...introduction,
    });
    const stream = await openStream(gateway, gatewayApiKey);
    const running = callerOf(gateway, 'ada').run(read, ended);
    await clock.settle();
    await gateway.daemon.respond(gatewayApiKey, stream.requests()[0]?.requestId ?? '', text('hi'));
    expect(await running).toMatchObject({ state: 'succeeded' });
    await expect(callerOf(gateway, 'ben').run(read, ended)).rejects.toMatchObject({ code: 'NOT_CONNECTED' });
    expect([
      await connectedTools(gateway, { userId: 'ben' }),
      await machineStatus(gateway, { userId: 'ben' }),
    ]).toMatchObject([[], { connected: false }]);

    const own = await connect(gateway, 'ada');
    expect(await machineStatus(gateway, { userId: 'ada' })).toMatchObject({ hostIdentifier: 'ada-laptop' });
    await clock.settle();
    await gateway.daemon.disconnect(own.key);
    await clock.settle();
    expect(await machineStatus(gateway, { userId: 'ada' })).toMatchObject({ hostIdentifier: null });
    await expect(callerOf(gateway, 'ada').run(read, ended)).rejects.toMatchObject({
      message: 'The machine ada-laptop is not connected; connected: server',
    });
    await disconnectMachine(gateway, { userId: 'ada', machineId: 'server' });
    await clock.settle();
    expect(lastOf(stream)).toEqual(farewell('user'));
    expect(seen).toEqual(['online server', 'online ada-laptop', 'offline null']);
    expect(others).toEqual([]);
  });
});
