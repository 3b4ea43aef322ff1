import type { CallOutcome } from '@drawbridge/contracts/agent/events';
import { resultPreviewLength } from '@drawbridge/contracts/agent/events';
import { cutText } from '@drawbridge/kit';
import type { ResultPart, ToolCallRow } from '../rows.ts';
import { update, type Write } from '../store-port.ts';
import { eventOf, type AgentNeeds } from './context.ts';

export interface CallEnd {
  outcome: CallOutcome;
  parts: ResultPart[];
  /** The whole text, where the parts are cut. */
  whole?: string | null;
  signature?: string | null;
}

export const textOf = (parts: readonly ResultPart[]): string =>
  parts.map((part) => (part.type === 'text' ? part.text : `[picture, ${part.mediaType}]`)).join('\n');

const eventOfEnd = (ctx: Pick<AgentNeeds, 'clock'>, call: ToolCallRow, end: CallEnd): Write => {
  const { id: toolCallId } = call;
  const source = { ...call, id: call.agentId };
  const text = end.whole ?? textOf(end.parts);
  const shown = cutText(text, resultPreviewLength);
  const { outcome } = end;
  if (outcome === 'ok') {
    const truncated = shown.length < text.length;
    return eventOf(ctx, source, [
      'tool-result',
      { toolCallId, result: shown, outcome, ...(truncated && { truncated }) },
    ]);
  }
  const type = outcome === 'stopped' || outcome === 'lost' ? 'tool-interrupted' : 'tool-error';
  return eventOf(ctx, source, [type, { toolCallId, error: shown, outcome }]);
};

/** Ends an open call once: a result that comes later changes nothing, and undoes its transaction. */
export const endCall = (ctx: Pick<AgentNeeds, 'clock'>, call: ToolCallRow, end: CallEnd): Write[] => [
  update(
    'agentToolCalls',
    { userId: call.userId, id: call.id, state: ['planned', 'running', 'waiting'] },
    {
      state: 'ended',
      outcome: end.outcome,
      result: end.parts,
      whole: end.whole ?? null,
      signature: end.signature ?? null,
      endedAt: ctx.clock.now(),
    },
  ),
  eventOfEnd(ctx, call, end),
];
