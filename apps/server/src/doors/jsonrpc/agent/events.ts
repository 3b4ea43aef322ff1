import type { LiveThreadEvent, StoredEvent } from '@drawbridge/contracts/agent/events';
import type { AskPayload } from '@drawbridge/contracts/agent/asks';
import type { CallEvent } from '@drawbridge/contracts/calls';
import { exportedFileBytes } from '@drawbridge/contracts/tool-result';
import { rpcLimits } from '@drawbridge/contracts/rpc/protocol';
import { cutText } from '@drawbridge/kit';
import type { ReaderEvent } from '../../../readers/index.ts';
import type { RpcContext } from '../context.ts';
import type { Identity } from '../identity.ts';
import type { RpcEvent } from '../protocol/reply.ts';
import { askQuestion } from './questions.ts';
import { requireAgent } from './session.ts';

/** Files that go out as an event, in characters of base64: 8 MiB of bytes. */
const maxFileLength = Math.ceil(exportedFileBytes / 3) * 4;

/** A run of a session, for one connection. */
export interface ToldRun {
  identity: Identity;
  threadId: string;
  sessionId: string;
  runId: string;
}

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

type Of<Type extends StoredEvent['type']> = Extract<StoredEvent, { type: Type }>;
type Ended = Of<'tool-result' | 'tool-error' | 'tool-interrupted'>;

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

/** The calls of a run, and who made them. */
const createCallEvents = (ctx: RpcContext, run: ToldRun, emit: (event: RpcEvent) => void) => {
  const { identity, sessionId, runId } = run;
  const place = { sessionId, runId };
  const subAgents = new Set<string>();
  const tools = new Map<string, string>();
  /** The calls of the run by the calls of the machine that they made. */
  const callIds = new Map<string, string>();
  const isSubAgent = (agentId: string | null): agentId is string =>
    agentId !== null && subAgents.has(agentId);
  const agentOf = (agentId: string | null) => (isSubAgent(agentId) ? { agentId } : undefined);

  const attach = async (fileId: string, callId: string) => {
    const { threads } = requireAgent(ctx);
    const { mediaType: mimeType, data, name: filename } = await threads.file(identity.userId, fileId);
    if (data.length > maxFileLength) return;
    emit({ event: 'attachment', data: { mimeType, data, filename, callId }, ...place });
  };

  return {
    isSubAgent,
    spawned: ({ agentId, payload }: Of<'agent-spawned'>) => {
      if (agentId !== null && payload.kind !== 'main') subAgents.add(agentId);
    },
    started: ({ agentId, payload }: Of<'tool-call'>, seq: number) => {
      const { toolCallId: callId, toolName: tool, args, requestId } = payload;
      tools.set(callId, tool);
      if (requestId !== undefined) callIds.set(requestId, callId);
      emit({ event: 'tool_start', data: { tool, args, callId, ...agentOf(agentId) }, ...place, seq });
    },
    ended: async (event: Ended, seq: number) => {
      const { toolCallId: callId } = event.payload;
      const data = { tool: tools.get(callId) ?? '', callId, ...agentOf(event.agentId), ...resultOf(event) };
      const { pictures = [], files = [] } = event.type === 'tool-result' ? event.payload : {};
      for (const fileId of [...pictures, ...files.map(({ id }) => id)]) await attach(fileId, callId);
      emit({ event: 'tool_end', data, ...place, seq });
    },
    printed: (event: CallEvent) => {
      const callId = event.type === 'progress' ? callIds.get(event.requestId) : undefined;
      if (event.type !== 'progress' || callId === undefined || event.output === undefined) return;
      const data = { callId, output: event.output, offset: event.outputOffset };
      emit({ event: 'tool_output', data, ...place });
    },
  };
};

/**
 * Translates the events of a reader for one run: frames of its chat, and what its calls print. Resolves with
 * whether the run has finished.
 */
export const createRunEvents = (ctx: RpcContext, run: ToldRun, emit: (event: RpcEvent) => void) => {
  const { identity, threadId, sessionId, runId } = run;
  const calls = createCallEvents(ctx, run, emit);
  const asked = new Map<string, string>();
  const text = createText();
  const place = { sessionId, runId };
  const state = (name: string, data: object) =>
    emit({ event: 'run_state', data: { state: name, ...data, timestamp: ctx.clock.now() }, ...place });

  const content = (part: { text: string; step: number; offset: number }, seq?: number) => {
    const data = text.add(part);
    if (data) emit({ event: 'content', data, ...place, seq });
  };

  const ask = async (payload: AskPayload) => {
    const question = await askQuestion(ctx, { identity, threadId }, payload);
    asked.set(payload.requestId, question.confirmId);
    state('suspended', { confirmId: question.confirmId, url: question.url });
    emit({ event: 'confirm_request', data: question, ...place });
  };

  const closed = ({ requestId, outcome }: Of<'confirmation-closed'>['payload']) => {
    const confirmId = asked.get(requestId) ?? requestId;
    emit({ event: 'confirm_resolved', data: { confirmId, state: outcome }, ...place });
    state('resumed', { confirmId });
  };

  const ofStored = async (event: StoredEvent, seq: number): Promise<void> => {
    switch (event.type) {
      case 'agent-spawned':
        return calls.spawned(event);
      case 'text-block':
        return calls.isSubAgent(event.agentId) ? undefined : content({ ...event.payload, offset: 0 }, seq);
      case 'tool-call':
        return calls.started(event, seq);
      case 'tool-result':
      case 'tool-error':
      case 'tool-interrupted':
        return calls.ended(event, seq);
      case 'confirmation-request':
        return ask(event.payload);
      case 'confirmation-closed':
        return closed(event.payload);
      case 'run-finish':
      case 'run-start':
      case 'user-message':
      case 'agent-completed':
      case 'agent-deleted':
      case 'reasoning-block':
      case 'tasks-update':
      case 'thread-title-updated':
      case 'notice':
      case 'error':
        return;
      default:
        event satisfies never;
    }
  };

  const ofLive = (event: LiveThreadEvent) => {
    if (event.type === 'text-delta' && !calls.isSubAgent(event.agentId)) content(event.payload);
  };

  return async ({ topic, event }: ReaderEvent): Promise<boolean> => {
    if (topic === 'calls') calls.printed(event);
    if (topic !== 'thread') return false;
    if (event.type === 'live' && event.event.runId === runId) ofLive(event.event);
    if (event.type !== 'event' || event.event.runId !== runId) return false;
    await ofStored(event.event, event.id);
    return event.event.type === 'run-finish';
  };
};
