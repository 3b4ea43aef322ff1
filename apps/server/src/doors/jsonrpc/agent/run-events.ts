import type { LiveThreadEvent, StoredEvent } from '@drawbridge/contracts/agent/events';
import type { AskPayload } from '@drawbridge/contracts/agent/asks';
import type { ThreadFrame } from '@drawbridge/contracts/agent/threads';
import { rpcLimits } from '@drawbridge/contracts/rpc/protocol';
import { cutText } from '@drawbridge/kit';
import type { RpcEvent } from '../protocol/reply.ts';

/** What one frame of a thread means for the request that has the run. */
export type RunStep =
  | { kind: 'event'; event: RpcEvent }
  /** A picture of a result, which is to be read. */
  | { kind: 'picture'; fileId: string; callId: string }
  | { kind: 'asked'; payload: AskPayload }
  | { kind: 'closed'; requestId: string; outcome: string }
  /** The call of the machine whose output belongs to a call of the run. */
  | { kind: 'call'; callId: string; requestId: string }
  | { kind: 'finished' };

const gap = '\n\n';

/**
 * The text of a run's main agent, as it grows. Steps are joined by an empty line; parts come in order, each
 * once: what was not streamed comes with the step's whole text.
 */
const createText = () => {
  let step = -1;
  /** Where the text of the step begins, and how much of it was sent; in UTF-16 code units. */
  let base = 0;
  let sent = 0;

  const enter = (next: number): string => {
    if (next <= step) return '';
    const isFirst = step === -1 || base + sent === 0;
    step = next;
    base += sent + (isFirst ? 0 : gap.length);
    sent = 0;
    return isFirst ? '' : gap;
  };

  return {
    /** The part that is new, and where it begins in the whole text; null for nothing. */
    add: (part: { text: string; step: number; offset: number }): { text: string; offset: number } | null => {
      const isBehind = part.step < step;
      const known = part.step > step ? 0 : sent;
      if (isBehind || part.offset > known) return null;
      const fresh = part.text.slice(known - part.offset);
      if (fresh === '') return null;
      const before = enter(part.step);
      const offset = base + sent - before.length;
      sent += fresh.length;
      return { text: before + fresh, offset };
    },
  };
};

const shownResult = (text: string): { text: string; truncated?: true } =>
  text.length > rpcLimits.toolEventLength
    ? { text: cutText(text, rpcLimits.toolEventLength), truncated: true }
    : { text };

type Ended = Extract<StoredEvent, { type: 'tool-result' | 'tool-error' | 'tool-interrupted' }>;

const resultOf = (event: Ended) => {
  const { text, truncated } = shownResult(
    event.type === 'tool-result' ? event.payload.result : event.payload.error,
  );
  const isOk = event.type === 'tool-result' && event.payload.outcome === 'ok';
  return {
    result: { success: isOk, output: isOk ? text : '', error: isOk ? null : text },
    ...((truncated ?? event.payload.truncated) && { truncated: true }),
  };
};

/** Translates the frames of a thread for one run. */
export const createRunEvents = ({ runId, sessionId }: { runId: string; sessionId: string }) => {
  const subAgents = new Set<string>();
  const tools = new Map<string, string>();
  const text = createText();
  const place = { sessionId, runId };

  const content = (part: { text: string; step: number; offset: number }, seq?: number): RunStep[] => {
    const added = text.add(part);
    return added ? [{ kind: 'event', event: { event: 'content', data: added, ...place, seq } }] : [];
  };
  const agentOf = (agentId: string | null) =>
    agentId !== null && subAgents.has(agentId) ? { agentId } : undefined;
  const isMain = (agentId: string | null) => agentId === null || !subAgents.has(agentId);

  const ofEnded = (event: Ended, seq: number): RunStep[] => {
    const { toolCallId: callId } = event.payload;
    const data = { tool: tools.get(callId) ?? '', callId, ...agentOf(event.agentId), ...resultOf(event) };
    const pictures = (event.type === 'tool-result' && event.payload.pictures) || [];
    return [
      ...pictures.map((fileId): RunStep => ({ kind: 'picture', fileId, callId })),
      { kind: 'event', event: { event: 'tool_end', data, ...place, seq } },
    ];
  };

  const ofStored = (event: StoredEvent, seq: number): RunStep[] => {
    switch (event.type) {
      case 'agent-spawned':
        if (event.agentId !== null && event.payload.kind !== 'main') subAgents.add(event.agentId);
        return [];
      case 'text-block':
        return isMain(event.agentId) ? content({ ...event.payload, offset: 0 }, seq) : [];
      case 'tool-call': {
        const { toolCallId: callId, toolName: tool, args, requestId } = event.payload;
        tools.set(callId, tool);
        const data = { tool, args, callId, ...agentOf(event.agentId) };
        return [
          { kind: 'event', event: { event: 'tool_start', data, ...place, seq } },
          ...(requestId === undefined ? [] : [{ kind: 'call' as const, callId, requestId }]),
        ];
      }
      case 'tool-result':
      case 'tool-error':
      case 'tool-interrupted':
        return ofEnded(event, seq);
      case 'confirmation-request':
        return [{ kind: 'asked', payload: event.payload }];
      case 'confirmation-closed':
        return [{ kind: 'closed', ...event.payload }];
      case 'run-finish':
        return [{ kind: 'finished' }];
      case 'run-start':
      case 'user-message':
      case 'agent-completed':
      case 'reasoning-block':
      case 'tasks-update':
      case 'thread-title-updated':
      case 'notice':
      case 'error':
        return [];
      default:
        return event satisfies never;
    }
  };

  const ofLive = (event: LiveThreadEvent): RunStep[] =>
    event.type === 'text-delta' && isMain(event.agentId) ? content(event.payload) : [];

  return (frame: ThreadFrame): RunStep[] => {
    if (frame.type === 'event') return frame.event.runId === runId ? ofStored(frame.event, frame.id) : [];
    if (frame.type === 'live') return frame.event.runId === runId ? ofLive(frame.event) : [];
    return [];
  };
};
