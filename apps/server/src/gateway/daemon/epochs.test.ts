import { machineStatus } from '../../callers/index.ts';
import { describe, expect, it } from 'vitest';
import {
  ended,
  idOf,
  initBody,
  openStream,
  question,
  text,
  useGateway,
  callerOf,
  watchStatus,
} from '../../../test/gateway-fixture.ts';

const fixture = useGateway();

const write = { name: 'write_file', arguments: { path: 'a.txt' } };
const farewell = { type: 'gateway-disconnect', payload: { reason: 'replaced' } };
const notFound = { code: 'NOT_FOUND' };
const features = ['responses', 'settled', 'keep-session', 'socket'];
const machine = expect.any(Object);

/** A daemon of ours that says which one it is. */
const daemon = (instance: string) =>
  initBody({
    daemon: { version: '0.1.0', protocol: 1, features: ['resume', 'cancel', 'progress'], instance },
  });

const connected = async () => {
  await fixture.open();
  const { key, stream } = await fixture.connect('ada', daemon('first'));
  return { gateway: fixture.gateway, clock: fixture.clock, key, stream, first: { key, epoch: 1 } };
};

/** A call that its daemon has and works on. */
const running = async () => {
  const all = await connected();
  const call = callerOf(all.gateway, 'ada').run(write, ended);
  await all.clock.settle();
  return { ...all, call, requestId: idOf(all.stream) };
};

/** Another daemon shows the same key. */
const second = async (key: string) => {
  const { epoch } = await fixture.gateway.daemon.init(key, daemon('second'));
  const proof = { key, epoch: epoch ?? 0 };
  return { proof, stream: await fixture.openStream(proof) };
};

describe('the epoch', () => {
  it('rises with each init, also across a restart of the server', async () => {
    const { key } = await connected();
    expect(await fixture.gateway.daemon.init(key, daemon('first'))).toEqual({
      ok: true,
      epoch: 2,
      features,
      machine,
    });
    await fixture.crash();
    expect(await fixture.gateway.daemon.init(key, daemon('first'))).toEqual({
      ok: true,
      epoch: 3,
      features,
      machine,
    });
  });
});

describe('of two daemons with one key', () => {
  it('the newest wins; the older is told once, and told again when it comes back', async () => {
    const { key, stream, first, gateway } = await connected();
    const { proof, stream: newer } = await second(key);
    expect(stream.events).toEqual([farewell]);
    expect(stream.isClosed()).toBe(true);
    const late = await openStream(gateway, first);
    expect([late.events, late.isClosed(), newer.isClosed()]).toEqual([[farewell], true, false]);
    late.drop();
    await gateway.daemon.disconnect(first);
    expect(await machineStatus(gateway, { userId: 'ada' })).toMatchObject({ state: 'online' });
    await gateway.daemon.disconnect(proof);
    expect(await machineStatus(gateway, { userId: 'ada' })).toMatchObject({ state: 'offline' });
  });

  it('a call runs on the one that had it: the newer is not sent it, and its result counts', async () => {
    const { key, first, gateway, clock, call, requestId } = await running();
    const { stream: newer } = await second(key);
    await clock.settle();
    expect(newer.requests()).toEqual([]);
    await gateway.daemon.progress(first, requestId, { message: 'still here' });
    expect(await gateway.daemon.respond(first, requestId, text('written'))).toEqual({ ok: true });
    expect(await call).toMatchObject({ state: 'succeeded' });
    expect(await gateway.daemon.respond(first, requestId, text('written'))).toEqual({
      ok: true,
      duplicate: true,
    });
  });

  it('each of several answers of the older daemon is judged separately', async () => {
    const { key, first, gateway, clock, stream, call, requestId } = await running();
    const other = callerOf(gateway, 'ada').run(write, ended);
    await clock.settle();
    const otherId = idOf(stream);
    const { proof, stream: newer } = await second(key);
    const later = callerOf(gateway, 'ada').run(write, ended);
    await clock.settle();
    const verdicts = await gateway.daemon.respondAll(
      first,
      [requestId, idOf(newer), 'nobodys', otherId, requestId].map((id) => ({
        requestId: id,
        body: text('written'),
      })),
    );
    const refused = { status: 'rejected', reason: expect.objectContaining(notFound) };
    expect(verdicts).toEqual([
      { status: 'fulfilled', value: { ok: true } },
      refused,
      refused,
      { status: 'fulfilled', value: { ok: true } },
      { status: 'fulfilled', value: { ok: true, duplicate: true } },
    ]);
    await gateway.daemon.respond(proof, idOf(newer), text('written'));
    expect(await Promise.all([call, other, later])).toEqual(
      Array(3).fill(expect.objectContaining({ state: 'succeeded' })),
    );
    await expect(gateway.daemon.respondAll('sess_none', [])).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });

  it('a restart of the server changes nothing of that', async () => {
    const { key, first, clock, requestId } = await running();
    await second(key);
    await fixture.crash();
    const newer = await fixture.openStream({ key, epoch: 2 });
    await clock.settle();
    expect(newer.requests()).toEqual([]);
    expect(await fixture.gateway.daemon.respond(first, requestId, text('written'))).toEqual({ ok: true });
  });

  it('an undelivered call goes to the newer, and the older cannot answer it', async () => {
    const { key, first, gateway, clock, stream } = await connected();
    stream.drop();
    const call = callerOf(gateway, 'ada').run(write, ended);
    await clock.settle();
    const { stream: newer, proof } = await second(key);
    await clock.settle();
    const requestId = idOf(newer);
    await expect(gateway.daemon.respond(first, requestId, text('x'))).rejects.toMatchObject(notFound);
    await expect(gateway.daemon.progress(first, requestId, {})).rejects.toMatchObject(notFound);
    await gateway.daemon.respond(proof, requestId, text('written'));
    expect(await call).toMatchObject({ state: 'succeeded' });
  });

  it('reports of the older on an ended call are ignored', async () => {
    const { key, first, gateway, clock, call, requestId } = await running();
    const { stream: newer } = await second(key);
    await clock.settle(30_000);
    expect(await call).toMatchObject({ state: 'timed-out', started: null });
    expect(newer.events).toEqual([]);
    await expect(gateway.daemon.respond(first, requestId, text('late'))).rejects.toMatchObject(notFound);
  });

  it.each([
    ['asked before', true],
    ['asks after', false],
  ])('what the older %s ends with it: no stream could carry the answer', async (_name, before) => {
    const { key, first, gateway, clock, call, requestId } = await running();
    if (before) await gateway.daemon.respond(first, requestId, question());
    await second(key);
    await clock.settle();
    if (!before) await gateway.daemon.respond(first, requestId, question());
    expect(await call).toMatchObject({ state: 'failed', error: { code: 'DISCONNECTED' } });
    expect(await gateway.confirmations.list('ada')).toEqual([]);
  });
});

describe('one daemon that comes back', () => {
  it('with another init is sent what it has not answered, marked as sent before', async () => {
    const { key, gateway, clock, call, requestId, stream } = await running();
    await gateway.daemon.init(key, daemon('first'));
    const next = await openStream(gateway, { key, epoch: 2 });
    await clock.settle();
    expect(stream.requests().map(({ again }) => again)).toEqual([undefined]);
    expect(next.requests()).toMatchObject([{ requestId, again: true }]);
    await gateway.daemon.respond({ key, epoch: 2 }, requestId, text('written'));
    expect(await call).toMatchObject({ state: 'succeeded' });
  });

  it('with two streams gets each call on the newest alone', async () => {
    const { first, gateway, clock, stream } = await connected();
    const newer = await openStream(gateway, first);
    void callerOf(gateway, 'ada')
      .run(write, ended)
      .catch(() => {});
    await clock.settle();
    expect([stream.requests().length, newer.requests().length]).toEqual([0, 1]);
  });
});

describe('daemons that take a machine from each other', () => {
  const flap = async (key: string, instances: string[]) => {
    for (const instance of instances) {
      const { epoch } = await fixture.gateway.daemon.init(key, daemon(instance));
      await fixture.openStream({ key, epoch: epoch ?? 0 });
    }
  };

  it('more than 3 times in a minute lose their key, and the person is told', async () => {
    const { key, gateway, clock } = await connected();
    const states: unknown[] = [];
    watchStatus(gateway, 'ada', ({ payload }) => states.push([payload.state, payload.problem]));
    await flap(key, ['second', 'first', 'second']);
    await expect(flap(key, ['first'])).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await clock.settle();
    expect(states.at(-1)).toEqual(['offline', 'flapping']);
    await expect(openStream(gateway, key)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await fixture.crash();
    expect(await machineStatus(fixture.gateway, { userId: 'ada' })).toMatchObject({
      state: 'offline',
      problem: 'flapping',
    });
    await fixture.connect('ada', daemon('first'));
    expect(await machineStatus(fixture.gateway, { userId: 'ada' })).not.toHaveProperty('problem');
  });

  it('less often keep it', async () => {
    const { key, clock } = await connected();
    await flap(key, ['second', 'first', 'second']);
    await clock.settle(60_000);
    await flap(key, ['first']);
    expect(await machineStatus(fixture.gateway, { userId: 'ada' })).toMatchObject({ state: 'online' });
  });

  it('do not count what one daemon does', async () => {
    const { key, gateway } = await connected();
    for (let time = 0; time < 9; time += 1) await gateway.daemon.init(key, daemon('first'));
  });
});
