import { describe, expect, it } from 'vitest';
import { idOf, initBody, openStream, text } from '../../test/gateway-fixture.ts';
import { pollMs, useTwo, via, write } from '../../test/two-servers.ts';
import { machineStatus, requireMachine } from '../callers/index.ts';

describe('a server that is gone', () => {
  it('leaves its machines to the others: they wait for them, and then their callers are told', async () => {
    const { clock, one, two, start, machine } = await useTwo();
    const call = await start(two.gateway);
    one.suspend(true);
    await clock.settle(14_000);
    expect(await machine()).toMatchObject({ serverId: null, connectedAt: expect.any(Number) });
    expect(await machineStatus(two.gateway, { userId: 'ada' })).toMatchObject({ state: 'grace' });
    // Answered or not, a delivered call ends by its own time; this one waits for the stream.
    const waits = await start(two.gateway);
    expect(waits.end).toBeNull();
    await clock.settle(20_000);
    expect(call.end).toEqual({ state: 'timed-out', code: 'TIMED_OUT' });
    await clock.settle(46_000);
    expect(await machineStatus(two.gateway, { userId: 'ada' })).toMatchObject({ state: 'offline' });
    expect(waits.end).toEqual({ state: 'failed', code: 'DISCONNECTED' });
    expect(await start(two.gateway)).toMatchObject({ end: { refused: 'NOT_CONNECTED' } });
  });

  it('leaves calls without a caller: they end by their time, at another server', async () => {
    const { clock, one, two, key, start, rowOf } = await useTwo();
    const call = await start(one.gateway);
    one.suspend(true);
    await openStream(two.gateway, key);
    await clock.settle(30_000);
    expect(await rowOf(call.requestId)).toMatchObject({ state: 'delivered' });
    await clock.settle(6_000);
    expect(await rowOf(call.requestId)).toMatchObject({ state: 'timed-out' });
  });

  it('11 leaves the turn of a coding agent: it waits for its machine until its stored time is over', async () => {
    const tools = [{ name: 'runtime_turn', inputSchema: { type: 'object' } }];
    const { clock, one, two, stream, start, rowOf } = await useTwo({ body: initBody({ tools }) });
    const call = await start(one.gateway, { ...write, name: 'runtime_turn' });
    const { dueAt } = await rowOf(call.requestId);
    stream.drop();
    one.suspend(true);
    await clock.settle(90_000);
    expect(await machineStatus(two.gateway, { userId: 'ada' })).toMatchObject({ state: 'offline' });
    expect(await rowOf(call.requestId)).toMatchObject({ state: 'delivered', dueAt });
    await clock.settle(Number(dueAt) - clock.now() + 1_000);
    expect(await rowOf(call.requestId)).toMatchObject({ state: 'delivered' });
    await clock.settle(5_000);
    expect(await rowOf(call.requestId)).toMatchObject({ state: 'timed-out' });
  });

  it('has not given the answer to its caller: the same call gets it at another server', async () => {
    const { clock, one, two, key, ref, start, rowOf } = await useTwo();
    const call = await start(one.gateway);
    await clock.settle(10_000);
    expect(await rowOf(call.requestId)).toMatchObject({ makerId: 'one' });
    const again = () => two.gateway.idempotency.claim('ada', write, { via, machineId: ref.machineId });
    expect(await again()).toMatchObject({ kind: 'new' });
    one.suspend(true);
    await openStream(two.gateway, key);
    await clock.settle(16_000);
    expect(await rowOf(call.requestId)).toMatchObject({ makerId: null });
    await two.gateway.daemon.respond(key, call.requestId, text('done'));
    expect(await again()).toMatchObject({ kind: 'repeat', first: call.requestId, by: 'undelivered' });
  });

  it('leaves a grace: another server ends it', async () => {
    const { clock, one, two, stream, machine } = await useTwo();
    stream.drop();
    await clock.settle();
    expect(await machine()).toMatchObject({ serverId: null, graceUntil: clock.now() + 10_000 });
    expect(await machineStatus(two.gateway, { userId: 'ada' })).toMatchObject({ state: 'grace' });
    one.suspend(true);
    await clock.settle(10_000);
    expect(await machine()).toMatchObject({ connectedAt: expect.any(Number) });
    await clock.settle(8_000);
    expect(await machine()).toMatchObject({ connectedAt: null, graceUntil: null });
    expect(await machineStatus(two.gateway, { userId: 'ada' })).toMatchObject({ state: 'offline' });
  });

  it('and was only suspended: it writes nothing on its old stream, and closes it', async () => {
    const { clock, one, two, key, stream, start } = await useTwo();
    one.suspend(true);
    await clock.settle(14_000);
    const there = await openStream(two.gateway, key);
    const before = stream.events.length;
    one.suspend(false);
    const call = await start(one.gateway);
    expect(stream.events.length).toBe(before);
    await clock.settle(pollMs);
    expect(stream.isClosed()).toBe(true);
    await clock.settle(pollMs);
    expect(there.requests().map(({ requestId }) => requestId)).toEqual([call.requestId]);
    expect(stream.requests()).toEqual([]);
  });

  it('closes its streams as soon as it is told so', async () => {
    const { clock, two, stream, database } = await useTwo();
    await clock.settle(9_000);
    await database.db.deleteFrom('servers').where('id', '=', 'one').execute();
    two.bus.publish('all', { type: 'server-dead', serverId: 'one' });
    await clock.settle();
    expect(stream.isClosed()).toBe(true);
  });

  it('has had no beat for 8 s: it writes nothing, though no other has taken over yet', async () => {
    const { clock, one, stream, start } = await useTwo();
    one.suspend(true);
    await clock.settle(9_000);
    await start(one.gateway);
    expect(stream.requests()).toEqual([]);
  });
});

describe('several servers', () => {
  it('a start beside others changes nothing of theirs', async () => {
    const { clock, one, key, join, start, rowOf, machine, database } = await useTwo();
    const call = await start(one.gateway);
    const before = [await machine(), await rowOf(call.requestId)];
    await join('three');
    await clock.settle(pollMs);
    expect([await machine(), await rowOf(call.requestId)]).toEqual(before);
    expect(await database.db.selectFrom('onceKeys').selectAll().execute()).toEqual([]);
    await one.gateway.daemon.respond(key, call.requestId, text('done'));
    await clock.settle();
    expect(call.end).toMatchObject({ state: 'succeeded' });
  });

  it('the end of a grace at one server does not undo an init at the other', async () => {
    const { clock, two, key, stream, machine } = await useTwo({ fate: () => 'is lost' });
    await clock.settle(500);
    stream.drop();
    await clock.settle(9_700);
    await two.gateway.daemon.init(key, initBody());
    await clock.settle(1_000);
    expect(await machine()).toMatchObject({ epoch: 2, connectedAt: expect.any(Number) });
  });

  it('progress at one server keeps a call of the other open', async () => {
    const { clock, one, two, key, start } = await useTwo();
    const call = await start(one.gateway);
    await clock.settle(20_000);
    await two.gateway.daemon.progress(key, call.requestId, { message: 'half' });
    await clock.settle(25_000);
    expect(call.end).toBeNull();
    await clock.settle(10_000);
    expect(call.end).toEqual({ state: 'timed-out', code: 'TIMED_OUT' });
  });

  it('a caller is told within 200 ms that the machine has left at the other server', async () => {
    const { clock, one, two, key, stream, start } = await useTwo();
    const call = await start(two.gateway);
    expect(idOf(stream)).toBe(call.requestId);
    await one.gateway.daemon.leave(key);
    await clock.settle(200);
    expect(call.end).toEqual({ state: 'failed', code: 'DISCONNECTED' });
    expect(await start(two.gateway)).toMatchObject({ end: { refused: 'NOT_CONNECTED' } });
  });

  it('count the open calls of a user, and of one token, together', async () => {
    const { one, two, start } = await useTwo({ limits: { maxOpenCalls: 4, maxOpenCallsOfOne: 3 } });
    for (const { gateway } of [one, two, one]) expect(await start(gateway)).toMatchObject({ end: null });
    expect(await start(two.gateway)).toMatchObject({ end: { refused: 'TOO_MANY_CALLS' } });
    const { calls } = two.gateway;
    const ref = await requireMachine(two.gateway, { userId: 'ada' });
    await calls.open(ref, write, { door: 'trpc' });
    await expect(calls.open(ref, write, { door: 'trpc' })).rejects.toMatchObject({ code: 'TOO_MANY_CALLS' });
  });

  it('make one call of one id, and follow it', async () => {
    const { clock, one, two, key, ref, stream } = await useTwo();
    const claim = { requestId: 'agent-1', key: null };
    const open = ({ gateway }: typeof one) => gateway.calls.open(ref, write, { door: 'agent', claim });
    const [, there] = [await open(one), await open(two)];
    expect(stream.requests().length).toBe(1);
    const waited = there.wait({ until: 'ended' });
    await one.gateway.daemon.respond(key, 'agent-1', text('done'));
    await clock.settle();
    expect(await waited).toMatchObject({ state: 'succeeded' });
    expect(await (await open(two)).wait({})).toMatchObject({ state: 'succeeded' });
  });

  it('show the same unused token, and the same key of a paired machine', async () => {
    const { one, two } = await useTwo();
    const link = await one.gateway.pairing.createLink('ben');
    expect(await two.gateway.pairing.createLink('ben')).toEqual(link);
    const paired = await one.gateway.pairing.createLinkAsSpecified('ada');
    expect(paired).toMatchObject({ token: expect.stringMatching(/^sess_/), expiresAt: null });
    expect(await two.gateway.pairing.createLinkAsSpecified('ada')).toEqual(paired);
  });

  it('cancel the calls of a token, whichever made them', async () => {
    const { clock, one, two, start } = await useTwo();
    const call = await start(one.gateway);
    await two.gateway.calls.cancelOf('ada', { kind: 'token', id: 't2' });
    await clock.settle();
    expect(call.end).toBeNull();
    await two.gateway.calls.cancelOf('ada', via);
    await clock.settle();
    expect(call.end).toMatchObject({ state: 'cancelled' });
  });

  it('see daemons that replace each other, wherever they call', async () => {
    const { clock, one, two, key, machine } = await useTwo();
    const daemonOf = (instance: string) =>
      initBody({ daemon: { version: '0.1.0', protocol: 1, features: [], instance } });
    const take = async ({ gateway }: typeof one, instance: string) => {
      await gateway.daemon.init(key, daemonOf(instance));
      await openStream(gateway, key);
      await clock.settle();
    };
    await take(one, 'a');
    await take(two, 'b');
    await take(one, 'a');
    await expect(take(two, 'b')).rejects.toMatchObject({ code: 'FORBIDDEN' });
    expect(await machine()).toMatchObject({ problem: 'flapping' });
  });

  it('ask for rules where the stream is, and say when it is gone', async () => {
    const rules = { daemon: { version: '0.1.0', protocol: 1 as const, features: ['rules'] } };
    const { clock, one, two, key, ref } = await useTwo();
    await one.gateway.daemon.init(key, initBody(rules));
    const stream = await openStream(one.gateway, key);
    await clock.settle();
    const asked = two.gateway.rules.query(ref, { type: 'list' });
    await clock.settle();
    const event = stream.events.at(-1);
    if (event?.type !== 'rules-request') throw new Error('The rules were not asked for');
    const body = { rules: [], total: 0, remoteRules: false };
    await one.gateway.daemon.rules(key, event.payload.requestId, body);
    expect(await asked).toMatchObject({ rules: [] });
    one.suspend(true);
    await clock.settle(9_000);
    one.suspend(false);
    const refused = two.gateway.rules.query(ref, { type: 'list' });
    await expect(refused).rejects.toMatchObject({ code: 'NOT_CONNECTED' });
  });

  it('offer the same tools, though no message says that they have changed', async () => {
    const { clock, one, two, key, ref } = await useTwo({ fate: () => 'is lost' });
    const offered = async () => [...(await two.gateway.machines.view(ref)).tools.keys()];
    expect(await offered()).toEqual(['read_file', 'write_file']);
    const { tools } = initBody();
    await one.gateway.daemon.setTools(key, { tools: tools.slice(0, 1) });
    await clock.settle(pollMs);
    expect(await offered()).toEqual(['read_file']);
  });

  it('write calls of each other on their streams, and stop them, though no message asks for it', async () => {
    const { clock, two, stream, start } = await useTwo({ fate: () => 'is lost' });
    const call = await start(two.gateway);
    expect(stream.requests()).toEqual([]);
    await clock.settle(pollMs);
    expect(stream.requests().map(({ requestId }) => requestId)).toEqual([call.requestId]);
    await two.gateway.calls.cancel('ada', call.requestId);
    await clock.settle(pollMs);
    expect(stream.events.at(-1)).toMatchObject({ type: 'tool-call-cancel' });
  });

  it('take the answer to a probe at any of them', async () => {
    const probing = { daemon: { version: '0.1.0', protocol: 1 as const, features: ['probe'] } };
    const { clock, one, two, key } = await useTwo();
    await one.gateway.daemon.init(key, initBody(probing));
    const stream = await openStream(one.gateway, key);
    const probes = () => stream.events.flatMap((event) => (event.type === 'probe' ? [event.payload.id] : []));
    for (let turn = 0; turn < 4; turn += 1) {
      await clock.settle();
      const { gateway } = turn === 0 ? one : two;
      await gateway.daemon.probe(key, probes().at(-1) ?? 0);
      await clock.settle(20_000);
    }
    expect([probes().length, stream.isClosed()]).toEqual([5, false]);
  });
});
