import { createFakeClock } from '@drawbridge/kit';
import { expect, it } from 'vitest';
import { agentRow, askRow, runRow, threadRow, toolCallRow } from '../../../test/rows.ts';
import { rowsStore } from '../../../test/rows-store.ts';
import { insert, update } from '../../rows/store.ts';
import { steer, type SteerNeeds } from './steer.ts';

const [userId, runId, agentId, threadId] = ['ann', 'r1', 'a1', 't1'];
const run = runRow(userId, runId, { threadId, state: 'active' });
const call = toolCallRow(userId, 'c1', { threadId, runId, agentId, state: 'running', effect: 'outside' });

it('a call that asks while a message comes is skipped with its question, and never waits without one', async () => {
  const store = rowsStore({
    agentThreads: [threadRow(userId, threadId)],
    agentRuns: [run],
    agentAgents: [agentRow(userId, agentId, { threadId, runId, kind: 'main', state: 'acting' })],
    agentToolCalls: [call],
    agentAsks: [],
  });
  let ids = 0;
  let hasAsked = false;
  const ask = askRow(userId, 'q1', { threadId, runId, agentId, toolCallId: call.id, state: 'open' });
  const needs = {
    store: {
      ...store,
      find: async (...given: Parameters<typeof store.find>) => {
        const [table] = given;
        if (table === 'agentAsks' && !hasAsked) {
          hasAsked = true;
          await store.commit(
            [
              update('agentToolCalls', { userId, id: call.id }, { state: 'waiting', askId: ask.id }),
              insert('agentAsks', ask),
            ],
            'kept',
          );
        }
        return store.find(...given);
      },
    },
    clock: createFakeClock(),
    newId: (prefix: string) => `${prefix}${(ids += 1)}`,
    stopAgents: async () => {},
    withdrawing: new Set(),
  } as unknown as SteerNeeds;
  const message = { id: 'm1', text: 'Wait', files: [], source: 'sent' as const };
  const { isSteered } = await steer(needs, run, { messages: [message], writes: [] });
  const [after] = await store.find('agentToolCalls', { userId });
  const [asked] = await store.find('agentAsks', { userId });
  expect([isSteered, after?.state, after?.outcome, asked?.state]).toEqual([
    true,
    'ended',
    'skipped',
    'withdrawn',
  ]);
});
