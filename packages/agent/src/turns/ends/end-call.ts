import type { CallOutcome } from '@drawbridge/contracts/agent/events';
import type { AgentNeeds } from '../../ports/needs.ts';
import type { PreparedResult } from '../../prompt/result.ts';
import { eventOf } from '../../rows/events.ts';
import { type ToolCallRow } from '../../rows/rows.ts';
import { filesOf } from '../../rows/parts.ts';
import { openCallStates } from '../../rows/states.ts';
import { update, type Write } from '../../rows/store.ts';

export interface CallEnd extends PreparedResult {
  outcome: CallOutcome;
  /** What it tried and how it failed; null where it did not fail. */
  signature: string | null;
  /** The states that it ends; every open one when undefined. */
  from?: readonly ToolCallRow['state'][];
}

/** The end of a call with a short text of our own. */
export const endWith = (outcome: CallOutcome, text: string): CallEnd => ({
  outcome,
  parts: [{ type: 'text', text }],
  shown: text,
  isShownCut: false,
  whole: null,
  signature: null,
});

const eventOfEnd = (ctx: Pick<AgentNeeds, 'clock'>, call: ToolCallRow, end: CallEnd): Write => {
  const { outcome, shown, isShownCut } = end;
  const head = { toolCallId: call.id, outcome, ...(isShownCut && { truncated: true }) };
  const source = { ...call, id: call.agentId };
  if (outcome === 'ok')
    return eventOf(ctx, source, 'tool-result', { ...head, result: shown, ...filesOf(end.parts) });
  const type = outcome === 'stopped' || outcome === 'lost' ? 'tool-interrupted' : 'tool-error';
  return eventOf(ctx, source, type, { ...head, error: shown });
};

/** Ends an open call once: a result that comes later changes nothing, and undoes its transaction. */
export const endCall = (ctx: Pick<AgentNeeds, 'clock'>, call: ToolCallRow, end: CallEnd): Write[] => {
  const { outcome, parts: result, whole, shown, isShownCut, signature, from = openCallStates } = end;
  const set = { state: 'ended' as const, outcome, result, whole, shown, isShownCut, signature };
  return [
    update(
      'agentToolCalls',
      { userId: call.userId, id: call.id, state: from },
      { ...set, endedAt: ctx.clock.now() },
    ),
    eventOfEnd(ctx, call, end),
  ];
};
