import { machineStatus } from '../callers/index.ts';
import { describe, expect, it } from 'vitest';
import {
  ended,
  idOf,
  initBody,
  openStream,
  question,
  text,
  useGateway,
  type FakeStream,
  callerOf,
} from '../../test/gateway-fixture.ts';

const fixture = useGateway();

const read = { name: 'read_file', arguments: { path: 'a.txt' } };
const foreign = initBody({ daemon: undefined });

const connected = async (body = initBody()) => {
  await fixture.open();
  return { clock: fixture.clock, ...(await fixture.connect('ada', body)) };
};

/** Makes a call whose maker goes down with the server. */
const call = async () => {
  void callerOf(fixture.gateway, 'ada')
    .run(read, ended)
    .catch(() => {});
  await fixture.clock.settle();
};

/** The server is killed and started again on the same file. */
const restart = async () => {
  await fixture.crash();
  return fixture.gateway;
};

const argumentsOf = (stream: FakeStream) => stream.requests().map((request) => request.toolCall.arguments);

describe('after a restart', () => {
  it('the machine is waited for, comes back with its key, and nothing is paired again', async () => {
    const { key, clock } = await connected();
    const gateway = await restart();
    expect(await machineStatus(gateway, { userId: 'ada' })).toMatchObject({
      connected: true,
      state: 'grace',
      directory: '/home/ada/notes',
    });
    await clock.settle(30_000);
    const stream = await openStream(gateway, key);
    expect(await machineStatus(gateway, { userId: 'ada' })).toMatchObject({
      state: 'online',
      connectedAt: '2026-01-01T00:00:00.000Z',
    });
    expect(await gateway.pairing.createLinkAsSpecified('ada')).toMatchObject({ token: key, expiresAt: null });
    const running = callerOf(gateway, 'ada').run(read, ended);
    await clock.settle();
    await gateway.daemon.respond(key, idOf(stream), text('hi'));
    expect(await running).toMatchObject({ state: 'succeeded' });
  });

  it('a machine that does not reconnect is offline after the grace period', async () => {
    const { clock, key } = await connected();
    const gateway = await restart();
    await clock.settle(60_000);
    expect(await machineStatus(gateway, { userId: 'ada' })).toMatchObject({
      connected: false,
      state: 'offline',
    });
    expect(await machineStatus(await restart(), { userId: 'ada' })).toMatchObject({ state: 'offline' });
    await fixture.openStream(key);
    expect(await machineStatus(fixture.gateway, { userId: 'ada' })).toMatchObject({ state: 'online' });
  });

  it.each([
    ['was disconnected', true],
    ['had gone', false],
  ])('a machine that %s before is offline', async (_name, explicit) => {
    const { key, stream, clock } = await connected();
    if (explicit) await fixture.gateway.daemon.disconnect(key);
    else stream.drop();
    await clock.settle(10_000);
    expect(await machineStatus(await restart(), { userId: 'ada' })).toMatchObject({ state: 'offline' });
  });

  it.each([
    ['is sent again to a daemon that resumes', initBody(), [{ path: 'a.txt' }]],
    ['is not sent twice to another one', foreign, []],
  ])('a call that had been sent %s, and its result counts', async (_name, body, sent) => {
    const { key, stream, clock } = await connected(body);
    await call();
    const requestId = idOf(stream);
    const gateway = await restart();
    expect(await gateway.calls.get('ada', requestId)).toMatchObject({ state: 'delivered' });
    const next = await openStream(gateway, key);
    await clock.settle();
    expect(argumentsOf(next)).toEqual(sent);
    expect(await gateway.daemon.respond(key, requestId, text('hi'))).toEqual({ ok: true });
    expect(await gateway.calls.get('ada', requestId)).toMatchObject({ state: 'succeeded' });
    const again = await restart();
    expect(await again.daemon.respond(key, requestId, text('hi'))).toEqual({ ok: true, duplicate: true });
    await expect(again.daemon.respond(key, requestId, text('ho'))).rejects.toMatchObject({
      code: 'CONFLICTING_RESULT',
    });
  });

  it.each([
    ['a daemon that resumes', initBody()],
    ['another one', foreign],
  ])('a call that had only waited is sent once, to %s', async (_name, body) => {
    const { key, stream, clock } = await connected(body);
    stream.drop();
    await call();
    const gateway = await restart();
    const next = await openStream(gateway, key);
    await clock.settle();
    expect(argumentsOf(next)).toEqual([{ path: 'a.txt' }]);
  });

  it.each([
    ['that had been sent ends, perhaps begun', false, null],
    ['that had only waited ends, not begun', true, false],
  ])('without its machine, a call %s', async (_name, waited, started) => {
    const { stream, clock } = await connected();
    if (waited) stream.drop();
    await call();
    const gateway = await restart();
    await clock.settle(59_999);
    const [open] = (await gateway.calls.list('ada', { limit: 1 })).calls;
    expect(open).toMatchObject({ endedAt: null });
    await clock.settle(1);
    const over = await gateway.calls.get('ada', open?.requestId ?? '');
    expect(over).toMatchObject({ state: 'failed', error: { code: 'DISCONNECTED' }, started });
  });
});

describe('an open confirmation after a restart', () => {
  const asked = async (body = initBody(), ask = question()) => {
    const all = await connected(body);
    await call();
    const requestId = idOf(all.stream);
    await fixture.gateway.daemon.respond(all.key, requestId, ask);
    return { ...all, requestId };
  };

  it.each([
    ['a daemon that resumes', initBody()],
    ['another one', foreign],
  ])('CF-11 is there, is answered once, and its call runs once, on %s', async (_name, body) => {
    const { key, clock, requestId } = await asked(body);
    const gateway = await restart();
    expect(await gateway.confirmations.list('ada')).toMatchObject([{ requestId, state: 'open' }]);
    const next = await openStream(gateway, key);
    await clock.settle();
    expect(next.events).toEqual([]);
    const both = await Promise.allSettled([
      gateway.confirmations.decide('ada', { requestId }, { approved: true }),
      gateway.confirmations.decide('ada', { requestId }, { approved: true }),
    ]);
    // Which of them comes first is up to the store.
    expect(both.toSorted((a, b) => a.status.localeCompare(b.status))).toMatchObject([
      { status: 'fulfilled' },
      { status: 'rejected', reason: { code: 'ALREADY_DECIDED' } },
    ]);
    expect(argumentsOf(next)).toEqual([{ path: 'a.txt', _confirmation: 'allowOnce' }]);
    await gateway.daemon.respond(key, requestId, text('written'));
    expect(await gateway.calls.get('ada', requestId)).toMatchObject({
      state: 'succeeded',
      decision: 'allowOnce',
      decidedBy: 'ada',
    });
  });

  it('still expires, and what was asked before is still known', async () => {
    const { key, clock, requestId } = await asked();
    await clock.settle(23 * 60 * 60_000);
    const gateway = await restart();
    expect(await gateway.daemon.respond(key, requestId, question())).toEqual({ ok: true, duplicate: true });
    await clock.settle(60 * 60_000);
    expect(await gateway.confirmations.list('ada')).toEqual([]);
    expect(await gateway.calls.get('ada', requestId)).toMatchObject({ state: 'denied' });
    await expect(
      gateway.confirmations.decide('ada', { requestId }, { approved: true }),
    ).rejects.toMatchObject({
      code: 'CONFIRMATION_CLOSED',
    });
  });

  it.each([
    ['a daemon that resumes', initBody()],
    ['another one', foreign],
  ])(
    'CF-07 that was answered while the machine was away is sent with its decision, once, to %s',
    async (_name, body) => {
      const { key, stream, clock, requestId } = await asked(body);
      stream.drop();
      await fixture.gateway.confirmations.decide(
        'ada',
        { requestId },
        { approved: true, resourceDecision: 'allowForSession' },
      );
      const gateway = await restart();
      await expect(
        gateway.confirmations.decide('ada', { requestId }, { approved: false }),
      ).rejects.toMatchObject({
        code: 'ALREADY_DECIDED',
      });
      const next = await openStream(gateway, key);
      await clock.settle();
      expect(argumentsOf(next)).toEqual([{ path: 'a.txt', _confirmation: 'allowForSession' }]);
      const later = await openStream(gateway, key);
      await clock.settle();
      expect(argumentsOf(later)).toEqual(
        body === foreign ? [] : [{ path: 'a.txt', _confirmation: 'allowForSession' }],
      );
    },
  );

  it('whose question was answered before is not asked again by a repeat of it, and a new one is undecided', async () => {
    const { key, clock, requestId } = await asked();
    await fixture.gateway.confirmations.decide('ada', { requestId }, { approved: true });
    let gateway = await restart();
    await openStream(gateway, key);
    await clock.settle();
    expect(await gateway.daemon.respond(key, requestId, question())).toEqual({ ok: true, duplicate: true });
    expect(await gateway.daemon.respond(key, requestId, question({ askId: 'ask-2' }))).toEqual({ ok: true });
    gateway = await restart();
    const call = { state: 'awaiting-confirmation', decision: null, decidedBy: null };
    expect(await gateway.calls.get('ada', requestId)).toMatchObject(call);
    expect(await gateway.confirmations.list('ada')).toMatchObject([{ requestId, state: 'open' }]);
  });

  it.each([
    ['names its question', 'ask-1'],
    ['names none where the daemon named none', undefined],
  ])('that was answered is sent with an answer that %s, also after a restart', async (_name, askId) => {
    const { key, clock, stream } = await connected();
    void callerOf(fixture.gateway, 'ada')
      .run(read, ended)
      .catch(() => {});
    await clock.settle();
    const requestId = stream.requests()[0]?.requestId ?? '';
    await fixture.gateway.daemon.respond(key, requestId, question({ askId }));
    await fixture.gateway.confirmations.decide('ada', { requestId }, { approved: true });
    const gateway = await restart();
    const next = await openStream(gateway, key);
    await clock.settle();
    const asked = ({ askId: named }: { askId?: string | undefined }) => named;
    expect(stream.requests().map(asked)).toEqual([undefined, askId]);
    expect(next.requests().map(asked)).toEqual([askId]);
  });

  it('CF-11 a hundred of them are all there, each once', async () => {
    const { key, clock, stream } = await connected();
    for (let count = 0; count < 100; count += 1) {
      void callerOf(fixture.gateway, 'ada')
        .run(read, ended)
        .catch(() => {});
    }
    await clock.settle();
    for (const [index, { requestId }] of stream.requests().entries()) {
      await fixture.gateway.daemon.respond(key, requestId, question({ askId: `ask-${index}` }));
    }
    const gateway = await restart();
    const open = await gateway.confirmations.list('ada');
    expect(new Set(open.map((confirmation) => confirmation.requestId)).size).toBe(100);
    const next = await openStream(gateway, key);
    for (const { id } of open)
      await gateway.confirmations.decide('ada', { confirmationId: id }, { approved: true });
    expect(new Set(next.requests().map((request) => request.requestId)).size).toBe(100);
    expect(next.requests()).toHaveLength(100);
  });
});
