import { machineStatus } from '../../callers/index.ts';
import { describe, expect, it } from 'vitest';
import {
  initBody,
  openStream,
  text,
  useGateway,
  type FakeStream,
  callerOf,
} from '../../../test/gateway-fixture.ts';

const fixture = useGateway();

const features = ['resume', 'cancel', 'progress', 'probe'];
const probing = initBody({ daemon: { version: '0.1.0', protocol: 1, features } });
const idsOf = (stream: FakeStream) =>
  stream.events.flatMap((event) => (event.type === 'probe' ? [event.payload.id] : []));

const connected = async (body = probing) => {
  await fixture.open();
  return { ...fixture, ...(await fixture.connect('ada', body)) };
};

describe('a stream that is probed', () => {
  it('is asked first of all, and again every 20 s', async () => {
    const { gateway, clock, stream } = await connected();
    expect(stream.events).toEqual([{ type: 'probe', payload: { id: 1 } }]);
    await clock.settle(60_000);
    expect([idsOf(stream), stream.frameIds]).toEqual([
      [1, 2, 3, 4],
      [1, 2, 3, 4],
    ]);
    expect(await machineStatus(gateway, { userId: 'ada' })).toMatchObject({ state: 'online' });
  });

  it('whose reader has died is closed 60 s after its last answer, and its calls go to the next', async () => {
    const { gateway, clock, key, stream } = await connected();
    await gateway.daemon.probe(key, 1);
    await clock.settle(50_000);
    const call = callerOf(gateway, 'ada').run(
      { name: 'read_file', arguments: {} },
      { door: 'trpc', until: 'ended' },
    );
    await clock.settle(9_999);
    expect(await machineStatus(gateway, { userId: 'ada' })).toMatchObject({ state: 'online' });
    await clock.settle(1);
    expect([stream.isClosed(), (await machineStatus(gateway, { userId: 'ada' })).state]).toEqual([
      true,
      'grace',
    ]);
    const next = await openStream(gateway, key);
    await clock.settle();
    await gateway.daemon.respond(key, next.requests()[0]?.requestId ?? '', text('hi'));
    expect(await call).toMatchObject({ state: 'succeeded' });
    stream.drop();
    expect(await machineStatus(gateway, { userId: 'ada' })).toMatchObject({ state: 'online' });
  });

  it('whose reader answers late stays', async () => {
    const { gateway, clock, key } = await connected();
    for (let id = 1; id < 9; id += 1) {
      await gateway.daemon.probe(key, id);
      await clock.settle(id === 1 ? 39_000 : 20_000);
    }
    expect(await machineStatus(gateway, { userId: 'ada' })).toMatchObject({ state: 'online' });
  });

  it('has its key looked up once an hour alone', async () => {
    const { gateway, clock, database, key, stream: older } = await connected();
    const stream = await openStream(gateway, key);
    await clock.settle();
    expect(older.isClosed()).toBe(true);
    const answer = () => gateway.daemon.probe(key, idsOf(stream).at(-1) ?? 0);
    const keys = await database.db.deleteFrom('gatewayKeys').returningAll().execute();
    for (let at = 0; at < 3_600_000; at += 20_000) {
      await answer();
      await clock.settle(20_000);
    }
    const forbidden = { code: 'FORBIDDEN' };
    await expect(answer()).rejects.toMatchObject(forbidden);
    await expect(answer()).rejects.toMatchObject(forbidden);
    await database.db.insertInto('gatewayKeys').values(keys).execute();
    await answer();
    await database.db.deleteFrom('gatewayKeys').execute();
    await answer();
    stream.drop();
    await expect(answer()).rejects.toMatchObject(forbidden);
    await expect(gateway.daemon.probe('sess_another', 1)).rejects.toMatchObject(forbidden);
  });

  it('is not kept open by an answer to an unknown probe or of a replaced daemon', async () => {
    const { gateway, clock, key } = await connected();
    await gateway.daemon.probe(key, 1);
    await gateway.daemon.probe(key, 999);
    await clock.settle(59_999);
    await gateway.daemon.probe({ key, epoch: 0 }, 3);
    await clock.settle(1);
    expect(await machineStatus(gateway, { userId: 'ada' })).toMatchObject({ state: 'grace' });
  });
});

it('a daemon without the feature is never probed', async () => {
  const { clock, stream } = await connected(initBody());
  await clock.settle(60_000);
  expect(stream.events).toEqual([]);
});
