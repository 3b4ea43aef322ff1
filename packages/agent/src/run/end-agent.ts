import type { EndStatus } from '@drawbridge/contracts/agent/events';
import { cutText } from '@drawbridge/kit';
import type { AgentFailure, AgentRow, RunRow, ToolCallRow } from '../rows.ts';
import { update, type Write } from '../store-port.ts';
import { eventOf, runEventOf, type AgentNeeds } from '../engine/context.ts';
import { endCall } from '../step/end-call.ts';
import { prepareResult } from '../step/result.ts';
import { openAgentStates, openRunStates } from '../states.ts';

const longestResult = 8_000;

export interface AgentEnd {
  outcome: EndStatus;
  result: string;
  error?: string;
  failure?: AgentFailure;
}

/** Ends an agent once. */
export const endAgent = (ctx: Pick<AgentNeeds, 'clock'>, agent: AgentRow, end: AgentEnd): Write[] => {
  const { userId, id, role } = agent;
  const { outcome, error, failure = null } = end;
  const result = cutText(end.result, longestResult);
  const now = ctx.clock.now();
  return [
    update(
      'agentAgents',
      { userId, id, state: openAgentStates },
      { state: 'ended', outcome, result, error: error ?? null, failure, endedAt: now, lastActiveAt: now },
    ),
    eventOf(ctx, agent, [
      'agent-completed',
      { role, status: outcome, result, ...(error !== undefined && { error }) },
    ]),
  ];
};

/** What its parent learns of a delegate. */
export const endParentCall = (
  ctx: Pick<AgentNeeds, 'clock'>,
  call: ToolCallRow,
  { outcome, result, error }: AgentEnd,
): Write[] => {
  const isDone = outcome === 'completed';
  const text = isDone ? result : `The sub-agent did not finish (${outcome}). ${error ?? ''} ${result}`.trim();
  return endCall(ctx, call, {
    ...prepareResult({ call, run: { id: call.runId } }, [{ type: 'text', text }], {
      source: 'sub-agent',
      areSecretsMasked: true,
    }),
    outcome: isDone ? 'ok' : 'failed',
    signature: null,
  });
};

export const usageOf = (run: RunRow) => ({
  inputTokens: run.inputTokens,
  outputTokens: run.outputTokens,
  cachedTokens: run.cachedTokens,
  ...(run.costMicro !== null && { costMicro: run.costMicro }),
  ...(run.isEstimated && { estimated: true }),
});

/** Ends a run once. */
export const endRun = (
  ctx: Pick<AgentNeeds, 'clock'>,
  run: RunRow,
  { status, reason }: { status: EndStatus; reason?: string | undefined },
): Write[] => [
  update(
    'agentRuns',
    { userId: run.userId, id: run.id, state: openRunStates },
    { state: status, reason: reason ?? null, endedAt: ctx.clock.now() },
  ),
  runEventOf(ctx, run, [
    'run-finish',
    { status, ...(reason !== undefined && { reason }), usage: usageOf(run) },
  ]),
];
