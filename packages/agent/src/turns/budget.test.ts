import { createFakeClock } from '@drawbridge/kit';
import { describe, expect, it } from 'vitest';
import { engineFixture } from '../../test/engine-fixture.ts';
import { agentRow, runRow, threadRow } from '../../test/rows.ts';
import type { AgentRow, RunRow } from '../rows/rows.ts';
import { budgetProblem, dayProblem } from './budget.ts';

const hour = 60 * 60 * 1_000;

const problem = (run: Partial<RunRow>, agent: Partial<AgentRow> = {}) =>
  budgetProblem(
    {
      thread: threadRow('ann', 't1'),
      run: runRow('ann', 'run_1', { approvedAt: 10 * hour, ...run }),
      agent: agentRow('ann', 'ag_1', agent),
    },
    10 * hour,
  );

describe('AG-04 the budget of a run', () => {
  it.each<[string, Partial<RunRow>, Partial<AgentRow>, string | null]>([
    ['99 steps', {}, { steps: 99 }, null],
    ['100 steps', {}, { steps: 100 }, 'The run has made 100 steps.'],
    ['299 calls', { calls: 299 }, {}, null],
    ['300 calls', { calls: 300 }, {}, 'The run has made 300 tool calls.'],
    ['300 calls of a sub-agent', { calls: 300 }, { kind: 'delegate' }, 'The run has made 300 tool calls.'],
    ['as many again, approved', { calls: 599, approvedCalls: 300 }, {}, null],
    ['the approved ones spent', { calls: 600, approvedCalls: 300 }, {}, 'The run has made 600 tool calls.'],
    [
      '2 million tokens',
      { inputTokens: 1_999_000, outputTokens: 1_000 },
      {},
      'The run has used 2000000 tokens.',
    ],
    ['2 hours', { approvedAt: 8 * hour }, {}, 'The run has worked for 120 minutes.'],
    ['almost 2 hours', { approvedAt: 8 * hour + 1 }, {}, null],
    [
      '3 hours, never approved',
      { approvedAt: null, startedAt: 7 * hour },
      {},
      'The run has worked for 180 minutes.',
    ],
    [
      '7 hours, 5 of which waited for the person',
      { approvedAt: 3 * hour - 1, waitedMs: 5 * hour + 2 },
      {},
      null,
    ],
    ['2 hours of a sub-agent', { approvedAt: 8 * hour }, { kind: 'delegate' }, null],
    ['cached tokens, a tenth each', { inputTokens: 2_000_000, cachedTokens: 2_000_000 }, {}, null],
  ])('%s', (_, run, agent, expected) => {
    expect(problem(run, agent)).toBe(expected);
  });
});

describe('AG-04 the budget of a day', () => {
  const ofDay = async (used: { tokens: number; costMicro: number }) => {
    const { ctx } = engineFixture({}, { config: { tokensPerDay: 1_000, costMicroPerDay: 2_500_000 } });
    const clock = createFakeClock(Date.UTC(2026, 10, 23, 9, 30));
    const since: number[] = [];
    const usageSince = (_: string, from: number) => {
      since.push(from);
      return Promise.resolve(used);
    };
    const found = await dayProblem({ ...ctx, clock, store: { ...ctx.store, usageSince } }, 'ann');
    expect(since).toEqual([Date.UTC(2026, 10, 23)]);
    return found;
  };

  it.each([
    [999, 2_499_999, null],
    [1_000, 0, "Today's limit of 1000 tokens is reached."],
    [0, 2_500_000, "Today's limit of 2.5 is reached."],
  ])('%d tokens, a cost of %d millionths', async (tokens, costMicro, expected) => {
    expect(await ofDay({ tokens, costMicro })).toBe(expected);
  });
});
