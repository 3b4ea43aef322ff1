import { describe, expect, it } from 'vitest';
import {
  ended,
  idOf,
  initBody,
  openStream,
  text,
  useGateway,
  type FakeStream,
  callerOf,
} from '../../../test/gateway-fixture.ts';

const fixture = useGateway();
const { connected } = fixture;

const read = { name: 'read_file', arguments: { path: 'a.txt' } };
const foreign = initBody({ daemon: undefined });

describe('a lost stream', () => {
  const drop = async (body: ReturnType<typeof initBody>) => {
    const all = await connected({}, body);
    const { gateway, clock, stream, key } = all;
    const first = callerOf(gateway, 'ada').run(read, ended);
    await clock.settle();
    stream.drop();
    const second = callerOf(gateway, 'ada').run({ name: 'write_file', arguments: {} }, ended);
    await clock.settle(5_000);
    const next = await openStream(gateway, key);
    await clock.settle();
    return { ...all, first, second, next };
  };

  it.each([
    ['what was not answered is sent again to a daemon that resumes', initBody(), ['read_file', 'write_file']],
    ['only what was never sent goes to another one', foreign, ['write_file']],
  ])('%s', async (_name, body, expected) => {
    const { gateway, stream, key, next, first, second } = await drop(body);
    expect(next.requests().map((request) => request.toolCall.name)).toEqual(expected);
    await gateway.daemon.respond(key, idOf(stream), text('one'));
    await gateway.daemon.respond(key, idOf(next), text('two'));
    expect([await first, await second].map((call) => call.state)).toEqual(['succeeded', 'succeeded']);
  });

  it('that does not come back ends what waits', async () => {
    const { gateway, clock, stream } = await connected();
    const first = callerOf(gateway, 'ada').run(read, ended);
    await clock.settle();
    stream.drop();
    const second = callerOf(gateway, 'ada').run(read, ended);
    await clock.settle(9_999);
    expect((await gateway.calls.list('ada', { limit: 9 })).calls.map((call) => call.endedAt)).toEqual([
      null,
      null,
    ]);
    await clock.settle(1);
    const error = { code: 'DISCONNECTED', message: 'Local gateway disconnected' };
    expect([await first, await second]).toMatchObject([
      { state: 'failed', error, started: null },
      { state: 'failed', error, started: false },
    ]);
    await expect(callerOf(gateway, 'ada').run(read, ended)).rejects.toMatchObject({ code: 'NOT_CONNECTED' });
  });

  it('whose successor takes nothing leaves the call with the daemon that has it', async () => {
    const { gateway, clock, stream, key } = await connected();
    const running = callerOf(gateway, 'ada').run({ name: 'write_file', arguments: {} }, ended);
    await clock.settle();
    const [before] = (await gateway.calls.list('ada', { limit: 1 })).calls;
    stream.drop();
    const takesNothing = { send: () => false, ready: () => Promise.resolve(), close: () => {} };
    const detach = await gateway.daemon.openStream(key, takesNothing);
    await clock.settle();
    detach();
    expect((await gateway.calls.list('ada', { limit: 1 })).calls).toEqual([before]);
    await gateway.daemon.respond(key, idOf(stream), text('written'));
    expect(await running).toMatchObject({ state: 'succeeded', deliveredAt: before?.deliveredAt });
  });

  it('whose reader is too slow keeps the call', async () => {
    const { gateway, clock, key } = await connected();
    const slow: FakeStream = await openStream(gateway, key);
    slow.drop();
    const detach = await gateway.daemon.openStream(key, {
      send: () => false,
      ready: () => Promise.resolve(),
      close: () => {},
    });
    const running = callerOf(gateway, 'ada').run(read, ended);
    await clock.settle();
    detach();
    expect((await gateway.calls.list('ada', { limit: 1 })).calls).toMatchObject([
      { state: 'pending', deliveredAt: null },
    ]);
    const next = await openStream(gateway, key);
    await clock.settle();
    await gateway.daemon.respond(key, idOf(next), text('ok'));
    expect(await running).toMatchObject({ state: 'succeeded' });
  });
});
