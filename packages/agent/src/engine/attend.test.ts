import { createFakeClock } from '@drawbridge/kit';
import { expect, it } from 'vitest';
import { agentRow, runRow, threadRow, toolCallRow } from '../../test/rows.ts';
import { rowsStore } from '../../test/rows-store.ts';
import { put } from '../rows/store.ts';
import { resumeAnswered } from './attend.ts';
import type { RunContext } from './context.ts';
import type { Held } from './driving.ts';
import { recover } from './recover.ts';

const userId = 'ann';
const key = { userId, threadId: 't1' };
const away = new Error('no store');
const waiting = (id: string) =>
  toolCallRow(userId, id, { effect: 'machine', state: 'waiting', requestId: `call-of-${id}` });

/** Two calls that have been answered; the state of the first one cannot be read, `failures` times. */
const open = (failures: number) => {
  const store = rowsStore({
    agentThreads: [threadRow(userId, key.threadId)],
    agentRuns: [runRow(userId, 'run_1')],
    agentAgents: [agentRow(userId, 'ag_1', { state: 'waiting' })],
    agentToolCalls: ['c1', 'c2'].map(waiting),
    agentQueue: [],
    agentPlans: [],
  });
  const errors: unknown[] = [];
  let left = failures;
  const machine = {
    stateOf: async (_: string, requestId: string) => {
      if (requestId !== 'call-of-c1' || left === 0) return 'ended';
      left -= 1;
      throw away;
    },
  };
  const ctx = {
    ...{ store, machine, clock: createFakeClock(2), withdrawing: new Set() },
    ...{ perform: async () => {}, wake: () => {}, stopAgents: async () => {} },
    onError: (error: unknown) => errors.push(error),
  } as unknown as RunContext;
  const states = async () => (await store.find('agentToolCalls', { userId })).map(({ state }) => state);
  return { ctx, errors, states, store };
};

it('a call whose answer this server missed continues, also beside one that fails', async () => {
  const { ctx, errors, states } = open(1);
  const heldOf = () => ({ ctx }) as Held;
  await resumeAnswered(ctx, heldOf);
  expect([await states(), errors]).toEqual([['waiting', 'planned'], [away]]);
  await resumeAnswered(ctx, heldOf);
  expect(await states()).toEqual(['planned', 'planned']);
});

it('a run that begins while a thread is recovered goes on', async () => {
  const { ctx, store } = open(0);
  const { findOfAll } = store;
  let hasBegun = false;
  store.findOfAll = async (...given) => {
    const rows = await findOfAll(...given);
    if (given[0] === 'agentAgents' && !hasBegun) {
      hasBegun = true;
      await store.commit(
        [
          put('agentRuns', runRow(userId, 'run_2')),
          put('agentAgents', agentRow(userId, 'ag_2', { runId: 'run_2' })),
        ],
        'synced',
      );
    }
    return rows;
  };
  await recover(ctx, { ...key, why: { hasCrashed: false } });
  expect(await store.find('agentRuns', { userId, id: 'run_2' })).toMatchObject([{ state: 'active' }]);
});

it('a thread of which a part could not be resumed is tried again, and its crash counts once', async () => {
  const { ctx, states } = open(1);
  const why = { hasCrashed: true };
  await expect(recover(ctx, { ...key, why })).rejects.toBe(away);
  expect([await states(), why]).toEqual([['waiting', 'planned'], { hasCrashed: false }]);
  await recover(ctx, { ...key, why });
  expect(await states()).toEqual(['planned', 'planned']);
});
