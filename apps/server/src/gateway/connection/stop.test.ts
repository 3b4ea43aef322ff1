import { describe, expect, it } from 'vitest';
import { callerOf, ended, initBody, openStream, text, useGateway } from '../../../test/gateway-fixture.ts';

const fixture = useGateway();

const read = { name: 'read_file', arguments: {} };
const farewell = (reason: string) => ({ type: 'gateway-disconnect', payload: { reason } });

const connected = async (body = initBody()) => {
  await fixture.open();
  return { ...fixture, ...(await fixture.connect('ada', body)) };
};

describe('a server that stops', () => {
  it('closes a stream that was being attached', async () => {
    const { gateway, key } = await connected();
    const opening = openStream(gateway, key);
    await gateway.stop();
    const stream = await opening;
    expect([stream.events, stream.isClosed()]).toEqual([[farewell('shutdown')], true]);
  });

  it('sends its machines to other servers, and takes none meanwhile', async () => {
    const { gateway, stream, clock, key } = await connected();
    const opening = openStream(gateway, key);
    const leaving = gateway.leaveMachines(100);
    const late = await opening;
    await clock.settle(100);
    await leaving;
    const closed = [...stream.events.slice(1), ...late.events];
    expect(closed).toContainEqual(farewell('shutdown'));
    expect([stream.isClosed(), late.isClosed(), late.events]).toEqual([true, true, [farewell('shutdown')]]);
  });

  it.each([
    ['a daemon of ours is told to come back', initBody(), [farewell('shutdown')]],
    ['another one, which would quit for good, is not', initBody({ daemon: undefined }), []],
  ])('%s', async (_name, body, expected) => {
    const { gateway, stream, clock, key } = await connected(body);
    const running = callerOf(gateway, 'ada').run(read, ended);
    const failed = expect(running).rejects.toMatchObject({ code: 'SHUTTING_DOWN' });
    await clock.settle();
    await gateway.stop();
    await failed;
    expect([stream.events.slice(1), stream.isClosed()]).toEqual([expected, true]);
    stream.drop();
    expect(clock.waiting()).toBe(0);
    const shuttingDown = { code: 'SHUTTING_DOWN' };
    const requestId = stream.requests()[0]?.requestId ?? '';
    await expect(gateway.daemon.respond(key, requestId, text('late'))).rejects.toMatchObject(shuttingDown);
    await expect(callerOf(gateway, 'ada').run(read, ended)).rejects.toMatchObject(shuttingDown);
    await expect(openStream(gateway, key)).rejects.toMatchObject(shuttingDown);
    expect(await gateway.calls.get('ada', requestId)).toMatchObject({ state: 'delivered', endedAt: null });
  });
});
