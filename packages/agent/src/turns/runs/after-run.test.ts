import { expect, it } from 'vitest';
import { engineFixture } from '../../../test/engine-fixture.ts';
import { agentRow, messageRow, planRow, planTaskRow, runRow, threadRow } from '../../../test/rows.ts';
import { recover } from '../../engine/recover.ts';
import type { RunRow } from '../../rows/rows.ts';

const followUps = (count: number): Partial<RunRow>[] =>
  Array.from({ length: count }, () => ({ kind: 'follow-up' }));

it.each<[string, Partial<RunRow>[], boolean]>([
  ['a run that is completed', [{}], true],
  ['a run that failed', [{ state: 'error' }], true],
  ['Stop', [{ state: 'cancelled' }], false],
  ['a follow-up that failed', [{}, { kind: 'follow-up', state: 'error' }], false],
  ['four follow-ups of one message', [{}, ...followUps(4)], true],
  ['five follow-ups of one message', [{}, ...followUps(5)], false],
  ['a message behind five follow-ups', [...followUps(5), {}], true],
])('AG-10 news of the background after %s: a run follows: %#', async (_, runs, follows) => {
  const { runner, store } = engineFixture({
    agentThreads: [threadRow('ann', 't1', { title: 'Notes' })],
    agentRuns: runs.map((run, at) =>
      runRow('ann', `old_${at}`, { state: 'completed', startedAt: at + 1, ...run }),
    ),
    agentMessages: [messageRow('ann', 1, { source: 'note', runId: 'old_0' })],
  });
  await runner.post({ userId: 'ann', threadId: 't1' }, { event: { type: 'checked' } });
  const all = await store.find('agentRuns', { userId: 'ann' });
  expect(all.length - runs.length).toBe(follows ? 1 : 0);
});

it('a checkpoint that an earlier server left without a verdict has failed after the start', async () => {
  const { ctx, store } = engineFixture({
    agentThreads: [threadRow('ann', 't1', { title: 'Notes' })],
    agentRuns: [runRow('ann', 'run_1', { state: 'completed' })],
    agentAgents: [agentRow('ann', 'ag_1', { runId: 'run_1', state: 'ended' })],
    agentMessages: [messageRow('ann', 1, { source: 'note' }), messageRow('ann', 2, { source: 'model' })],
    agentPlans: [planRow('ann', 'p')],
    agentPlanTasks: [planTaskRow('ann', 'k', { kind: 'checkpoint', state: 'running' })],
  });
  await recover(ctx);
  const stateOf = async () => [
    (await store.find('agentPlanTasks', { userId: 'ann' }))[0]?.state,
    (await store.find('agentPlans', { userId: 'ann' }))[0]?.state,
  ];
  await expect.poll(stateOf).toEqual(['failed', 'awaiting-replan']);
});
