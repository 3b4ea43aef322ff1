import type { InitBody } from '@drawbridge/contracts/daemon-surface';
import { expect, onTestFinished } from 'vitest';
import { requireMachine } from '../src/callers/index.ts';
import type { Gateway } from '../src/gateway/index.ts';
import { connect, ended, openGateway, runCall, type FixtureOptions } from './gateway-fixture.ts';
import { createLossyHub, type Fate } from './lossy-bus.ts';
import { createTestProcess } from './test-process.ts';

export const pollMs = 2_000;
export const write = { name: 'write_file', arguments: {} };
export const via = { kind: 'token', id: 't1', name: 'Desk' } as const;

/** Two servers on one store, with a machine of Ada's whose stream is at the first one. */
export const openTwo = async (options: FixtureOptions & { fate?: () => Fate; body?: InitBody } = {}) => {
  const { fate = () => 'arrives' as const, body, ...rest } = options;
  const fixture = await openGateway(rest);
  const { clock, errors, database } = fixture;
  await fixture.gateway.stop();
  const hub = createLossyHub({ clock, fate, onError: (error) => void errors.push(error) });
  const join = async (id: string, gate?: Parameters<typeof fixture.join>[1]) => {
    const process = createTestProcess(clock, hub.open(id, { pollMs }));
    return { ...process, gateway: (await fixture.join(process, gate)).gateway };
  };
  const one = await join('one');
  const two = await join('two');
  const { key, stream } = await connect(one.gateway, 'ada', body);
  const ref = await requireMachine(one.gateway, { userId: 'ada' });
  /** Resolves to how the call ends; null while it is open. */
  const start = async (gateway: Gateway, call = write) => {
    const made: { end: unknown; requestId: string } = { end: null, requestId: '' };
    const onOpened = (requestId: string) => void (made.requestId = requestId);
    runCall(gateway, { ref, call }, { ...ended, via, onOpened }).then(
      ({ state, error }) => (made.end = { state, code: error?.code ?? null }),
      (error: { code: string }) => (made.end = { refused: error.code }),
    );
    await clock.settle();
    return made;
  };
  const rowOf = (requestId: string) =>
    database.db.selectFrom('calls').selectAll().where('requestId', '=', requestId).executeTakeFirstOrThrow();
  const machine = () => database.db.selectFrom('machines').selectAll().executeTakeFirstOrThrow();
  const close = async () => {
    await fixture.close();
    expect(errors).toEqual([]);
  };
  return { ...fixture, close, join, one, two, key, stream, ref, start, rowOf, machine };
};

export type TwoServers = Awaited<ReturnType<typeof openTwo>>;

/** The same, closed after the test. */
export const useTwo = async (options?: Parameters<typeof openTwo>[0]): Promise<TwoServers> => {
  const world = await openTwo(options);
  onTestFinished(world.close);
  return world;
};
