import type { Credits } from '@drawbridge/contracts/agent/credits';
import { tokensOf } from '../memory/usage.ts';
import type { AgentNeeds } from '../ports/needs.ts';
import { agentLimits } from '../rows/limits.ts';
import type { Work } from '../rows/load.ts';
import type { RunRow } from '../rows/rows.ts';
import { openRunStates } from '../rows/states.ts';
import { update } from '../rows/store.ts';
import { openAsk } from '../tools/common/asks.ts';
import type { TurnEffect } from './effects.ts';

const minuteMs = 60 * 1_000;
const dayMs = 24 * 60 * minuteMs;

/** What the runs of a user that began since midnight (UTC) have used. */
const usageToday = (ctx: Pick<AgentNeeds, 'store' | 'clock'>, userId: string) => {
  const now = ctx.clock.now();
  return ctx.store.usageSince(userId, now - (now % dayMs));
};

/** The same with the daily limit that comes nearest. */
export const creditsOf = async (
  ctx: Pick<AgentNeeds, 'store' | 'clock' | 'config'>,
  userId: string,
): Promise<Credits> => {
  const now = ctx.clock.now();
  const [{ tokens, costMicro }, { tokensPerDay, costMicroPerDay }] = await Promise.all([
    usageToday(ctx, userId),
    ctx.config(),
  ]);
  const limits = [
    { unit: 'tokens', quota: tokensPerDay, used: tokens },
    { unit: 'costMicro', quota: costMicroPerDay, used: costMicro },
  ] as const;
  const partOf = ({ quota, used }: (typeof limits)[number]) => (quota === null ? -1 : used / quota);
  const nearest = partOf(limits[1]) > partOf(limits[0]) ? limits[1] : limits[0];
  const resetsAt = new Date(now - (now % dayMs) + dayMs).toISOString();
  return { tokens, costMicro, ...nearest, resetsAt };
};

/** What is left of the user's day, without an end where the owner set none, and why that is nothing. */
export const limitsToday = async (
  ctx: Pick<AgentNeeds, 'store' | 'clock' | 'config'>,
  userId: string,
): Promise<{ problem: string | null; left: { tokens: number; costMicro: number } }> => {
  const { tokensPerDay, costMicroPerDay } = await ctx.config();
  const used = await usageToday(ctx, userId);
  const left = {
    tokens: (tokensPerDay ?? Infinity) - used.tokens,
    costMicro: (costMicroPerDay ?? Infinity) - used.costMicro,
  };
  if (left.tokens <= 0) return { left, problem: `Today's limit of ${tokensPerDay} tokens is reached.` };
  if (left.costMicro <= 0 && costMicroPerDay !== null)
    return { left, problem: `Today's limit of ${costMicroPerDay / 1_000_000} is reached.` };
  return { left, problem: null };
};

/** Why a user can use no more today; null if they can. */
export const dayProblem = async (
  ctx: Pick<AgentNeeds, 'store' | 'clock' | 'config'>,
  userId: string,
): Promise<string | null> => (await limitsToday(ctx, userId)).problem;

/** How long a run has worked since its budgets are counted, in milliseconds. */
const workedMs = ({ approvedAt, startedAt, waitedMs }: RunRow, now: number): number =>
  now - (approvedAt ?? startedAt) - waitedMs;

/** Which budget is spent, in a sentence; null if none is. */
export const budgetProblem = ({ run, agent }: Work, now: number): string | null => {
  const { tokensPerRun, callsPerRun, runMs } = agentLimits;
  if (agent.kind === 'main' && agent.steps >= agent.maxSteps) return `The run has made ${agent.steps} steps.`;
  // A sub-agent has limits of its own, and cannot ask.
  if (agent.kind === 'main' && workedMs(run, now) >= runMs)
    return `The run has worked for ${Math.floor(workedMs(run, now) / minuteMs)} minutes.`;
  if (tokensOf(run) - run.approvedTokens >= tokensPerRun) return `The run has used ${tokensOf(run)} tokens.`;
  if (run.calls - run.approvedCalls >= callsPerRun) return `The run has made ${run.calls} tool calls.`;
  return null;
};

/** Keeps everything, and asks the person whether the run may use as much again. */
export const askToContinue = async (
  ctx: Pick<AgentNeeds, 'store' | 'clock' | 'newId' | 'config'>,
  { agent, run }: Work,
  problem: string,
): Promise<TurnEffect[]> => {
  const { askTtlMs } = await ctx.config();
  const asking = { agent, call: null, expiresAt: ctx.clock.now() + askTtlMs };
  const { writes } = openAsk(ctx, asking, {
    inputType: 'continue',
    severity: 'info',
    message: `${problem} Continue?`,
  });
  const isWritten = await ctx.store.commit(
    [
      update('agentAgents', { userId: agent.userId, id: agent.id, state: 'ready' }, { state: 'asking' }),
      update('agentRuns', { userId: run.userId, id: run.id, state: openRunStates }, { state: 'suspended' }),
      ...writes,
    ],
    'synced',
  );
  return isWritten ? [{ type: 'runWaits' }] : [];
};
