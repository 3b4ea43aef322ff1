import { expect, it } from 'vitest';
import { engineFixture } from '../../../test/engine-fixture.ts';
import { agentRow, runRow, threadRow } from '../../../test/rows.ts';
import { continueRun } from './continue-run.ts';

it.each([
  ['the person', 'person', 'person', 'person', false],
  ['the person, after a delivery', 'person', 'hook:deploys', 'hook:deploys', true],
  ['a token, after a message of the person', 'token:t', 'person', 'token:t', true],
  ['a token, after its own message', 'token:t', 'token:t', 'token:t', true],
])(
  'NA-16: %s continues a run with no more than its own words',
  async (_who, key, before, sender, tainted) => {
    const { runner, store } = engineFixture({
      agentThreads: [threadRow('ann', 't1', { titleBy: 'person' })],
      agentRuns: [runRow('ann', 'run_0', { sender: before, state: 'cancelled', endedAt: 2 })],
      agentAgents: [agentRow('ann', 'ag_0', { runId: 'run_0', state: 'ended', outcome: 'cancelled' })],
    });
    const asked = { userId: 'ann', threadId: 't1', key, usesMemory: true };
    const { runId } = await continueRun(runner, asked);
    const [run] = await store.find('agentRuns', { userId: 'ann', id: runId });
    const [agent] = await store.find('agentAgents', { userId: 'ann', runId, kind: 'main' });
    expect([run?.sender, agent?.tainted]).toEqual([sender, tainted]);
  },
);
