import { createFakeClock } from '@drawbridge/kit';
import { expect, it } from 'vitest';
import { engineFixture, rowsWithCall } from '../../../test/engine-fixture.ts';
import { toolCallRow } from '../../../test/rows.ts';
import type { ToolCallRow } from '../../rows/rows.ts';
import { insert, update, type AgentStore, type Write } from '../../rows/store.ts';
import { closeAgent } from '../../turns/ends/stop.ts';
import { ElsewhereError } from '../../rows/errors.ts';
import { agentLimits } from '../../rows/limits.ts';
import { personSender } from '../../rows/sender.ts';

/** A run that is being stopped, and does not stop. */
const useStopping = async (call: Partial<ToolCallRow> = {}) => {
  const clock = createFakeClock();
  const { ctx, lanes, store } = engineFixture(rowsWithCall({ state: 'waiting', ...call }), { clock });
  /** Stops from now on never end; resolves when one has begun. */
  const nextStop = (): Promise<void> => {
    const begun = Promise.withResolvers<void>();
    ctx.stopAgents = () => (begun.resolve(), new Promise(() => {}));
    return begun.promise;
  };
  const first = nextStop();
  await lanes.cancel('ann', 't1', {});
  await first;
  return { clock, ctx, lanes, store, nextStop };
};

it('a stop that another server must do, or that failed, is not acknowledged', async () => {
  const { ctx, lanes } = await useStopping();
  ctx.stopAgents = () => Promise.reject(new ElsewhereError());
  await expect(lanes.stop('ann', 't1', 'stop')).rejects.toThrow(ElsewhereError);
});

it('a second stop is acknowledged once the run has ended, also where the first one failed', async () => {
  const { clock, ctx, lanes, store, nextStop } = await useStopping();
  const again = nextStop();
  clock.advance(1);
  const second = lanes.stop('ann', 't1', 'stop');
  await again;
  const { find } = store;
  const failed = Promise.withResolvers<never>();
  // The first one cannot release the run: the store is away.
  ctx.store = { ...store, find: () => (failed.reject(new Error('away')), failed.promise) };
  clock.advance(agentLimits.forcedMs - 1);
  await failed.promise.catch(() => {});
  ctx.store = { ...store, find };
  clock.advance(1);
  await second;
  const [run] = await store.find('agentRuns', { userId: 'ann', id: 'run_1' });
  expect(run?.state).toBe('cancelled');
});

const ofStep = update('agentAgents', { userId: 'ann', id: 'ag_1' }, { steps: 2 });
const ofTurn = update('agentToolCalls', { userId: 'ann', id: 'tc_1' }, { turnEvents: 1 });
const late = [
  ['a step', { step: 2 }, ofStep],
  ['an action of a coding agent', { step: 3, turnId: 'tc_1' }, ofTurn],
] as const;

/** Another writer stores `guarded` and an open call just after open calls were read first. */
const withLateCall = (store: AgentStore, guarded: Write, set: Partial<ToolCallRow>): AgentStore => {
  let isLate = false;
  const find: typeof store.find = async (table, ...rest) => {
    const rows = await store.find(table, ...rest);
    if (table !== 'agentToolCalls' || isLate) return rows;
    isLate = true;
    const call = toolCallRow('ann', 'tc_late', { ...set, state: 'running' });
    await store.commit([guarded, insert('agentToolCalls', call)], 'synced');
    return rows;
  };
  return { ...store, find };
};

const openCalls = (store: AgentStore) =>
  store.find('agentToolCalls', { userId: 'ann', runId: 'run_1', state: ['planned', 'running', 'waiting'] });

it.each(late)('%s that is stored while its run is released leaves no open call', async (_, set, guarded) => {
  const { clock, ctx, store } = await useStopping({ turnEvents: 0 });
  ctx.store = withLateCall(store, guarded, set);
  clock.advance(agentLimits.forcedMs);
  const runs = () => store.find('agentRuns', { userId: 'ann', id: 'run_1' });
  await expect.poll(runs).toMatchObject([{ state: 'cancelled' }]);
  expect(await openCalls(store)).toEqual([]);
});

it.each(late)('%s that is stored while its agent is stopped leaves none either', async (_, set, guarded) => {
  const { ctx, store } = engineFixture(rowsWithCall({ state: 'waiting', turnEvents: 0 }));
  ctx.store = withLateCall(store, guarded, set);
  await closeAgent(ctx, { userId: 'ann', id: 'ag_1' }, { outcome: 'cancelled', text: 'Stopped' });
  expect(await openCalls(store)).toEqual([]);
  expect(await store.find('agentAgents', { userId: 'ann', id: 'ag_1' })).toMatchObject([{ state: 'ended' }]);
});

it('a run that does not stop within 5 s is released, and the next message runs', async () => {
  const clock = createFakeClock();
  const { ctx, lanes, store } = engineFixture(rowsWithCall({ state: 'waiting' }), { clock });
  // Nothing of the run answers any more.
  ctx.stopAgents = () => new Promise(() => {});
  const sender = personSender('ann', 'ws');
  const waiting = await lanes.send(sender, 't1', { text: 'next' });
  expect(await lanes.cancel('ann', 't1', {})).toEqual({ cancelled: true, runId: 'run_1', rejected: 1 });
  expect(await waiting.done).toMatchObject({ outcome: 'cancelled', runId: null });

  const stateOf = async () => (await store.find('agentRuns', { userId: 'ann', id: 'run_1' }))[0]?.state;
  clock.advance(agentLimits.forcedMs - 1);
  expect(await stateOf()).toBe('active');
  clock.advance(1);
  await expect.poll(stateOf).toBe('cancelled');
  const agents = await store.find('agentAgents', { userId: 'ann', runId: 'run_1' });
  expect(agents).toMatchObject([{ state: 'ended', outcome: 'cancelled' }]);
  const calls = await store.find('agentToolCalls', { userId: 'ann', runId: 'run_1' });
  expect(calls).toMatchObject([{ state: 'ended', outcome: 'stopped' }]);
  await expect.poll(async () => (await lanes.metrics()).lanes.forced).toBe(1);

  const next = await lanes.send(sender, 't1', { text: 'again' });
  expect(await next.done).toMatchObject({ outcome: 'completed', content: 'Done.' });
});
