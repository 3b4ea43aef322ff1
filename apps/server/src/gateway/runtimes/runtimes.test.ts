import type { RuntimeList, RuntimesQuery } from '@drawbridge/contracts/machines/runtimes';
import { expect, it } from 'vitest';
import { requireMachine } from '../../callers/index.ts';
import { connect, initBody, useGateway, type FakeStream } from '../../../test/gateway-fixture.ts';

const fixture = useGateway();

const withRuntimes = initBody({ daemon: { version: '0.1.0', protocol: 1, features: ['runtimes'] } });
const tested: RuntimeList = { runtimes: [], tested: { runtime: 'gemini', reason: null } };
const test: RuntimesQuery = { type: 'test', runtime: 'gemini' };
const query = async (userId: string, asked: RuntimesQuery, machineOf = userId) => {
  const { gateway } = fixture;
  return gateway.runtimes.query({ ...(await requireMachine(gateway, { userId: machineOf })), userId }, asked);
};
const asked = (stream: FakeStream) =>
  stream.events.flatMap((event) => (event.type === 'runtimes-request' ? [event.payload] : []));

it('asks the machine about its coding agents; a test has longer than a list', async () => {
  const { gateway, clock, key, stream } = await fixture.connected({}, withRuntimes);
  const answered = query('ada', test);
  const late = expect(query('ada', { type: 'list' })).rejects.toMatchObject({ code: 'TIMED_OUT' });
  await clock.settle(20_000);
  await late;
  const [first] = asked(stream);
  expect(first).toEqual({ requestId: expect.any(String), query: test });
  await gateway.daemon.runtimes(key, first?.requestId ?? '', tested);
  expect(await answered).toEqual(tested);
  const never = expect(query('ada', test)).rejects.toMatchObject({ code: 'TIMED_OUT' });
  await clock.settle(50_000);
  await never;
});

it('RT-17 those of another user are not asked about, nor answered for by another machine', async () => {
  const { gateway, clock, stream } = await fixture.connected({}, withRuntimes);
  const other = await connect(gateway, 'ben', withRuntimes);
  await expect(query('ben', test, 'ada')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  const late = expect(query('ada', { type: 'list' })).rejects.toMatchObject({ code: 'TIMED_OUT' });
  await clock.settle();
  await gateway.daemon.runtimes(other.key, asked(stream)[0]?.requestId ?? '', tested);
  await clock.settle(10_000);
  await late;
});

it('a daemon without the feature has none, and one that is away is not known', async () => {
  const { stream } = await fixture.connected({}, initBody());
  expect(await query('ada', test)).toEqual({ runtimes: [] });
  expect(asked(stream)).toEqual([]);
  stream.drop();
  await expect(query('ada', test)).rejects.toMatchObject({ code: 'NOT_CONNECTED' });
});
