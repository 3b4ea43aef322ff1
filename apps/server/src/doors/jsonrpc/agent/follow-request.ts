import type { LaneRequest, RequestEvent } from '@drawbridge/agent';
import { FailedWith } from '../failed-with.ts';
import type { AgentSendResult } from '@drawbridge/contracts/rpc/agent';
import type { RpcContext } from '../context.ts';
import type { Identity } from '../identity.ts';
import type { RpcEvent } from '../protocol/reply.ts';
import { followRun } from './follow.ts';
import { endOfRequest } from './request-end.ts';
import type { NamedSession } from '../../../agent/index.ts';

interface Following {
  identity: Identity;
  session: NamedSession;
  request: LaneRequest;
  emit(event: RpcEvent): void;
  /** The answer as speech, before its end; null for text alone. */
  readOut(content: string): Promise<Pick<RpcEvent, 'event' | 'data'> | null>;
  signal: AbortSignal;
}

/** Emits what happens to a message until its request ends; returns its result, or throws its failure. */
export const followRequest = async (
  ctx: RpcContext,
  { identity, session, request, emit, readOut, signal }: Following,
): Promise<AgentSendResult> => {
  const { sessionId, threadId } = session;
  const { requestId } = request;
  const state = (name: string, data: object, runId?: string) =>
    emit({
      event: 'run_state',
      data: { state: name, ...data, timestamp: ctx.clock.now() },
      sessionId,
      ...(runId !== undefined && { runId }),
    });
  const left = new AbortController();
  const abort = () => left.abort();
  signal.addEventListener('abort', abort, { once: true });
  let following: Promise<void> = Promise.resolve();
  let isStarted = false;

  const take = (event: RequestEvent): void => {
    switch (event.type) {
      case 'queued':
        return state('queued', { position: event.position, behind: event.behind });
      case 'started': {
        const { runId, afterSeq } = event;
        isStarted = true;
        state('start', { requestId }, runId);
        const run = { identity, threadId, sessionId, runId };
        following = followRun(ctx, run, { afterSeq, emit, signal: left.signal }).catch(ctx.onError);
        return;
      }
      case 'merged':
      case 'steered':
        return state(event.type, { into: event.into }, event.runId);
      case 'notice':
        return emit({ event: 'content', data: { text: event.text, transient: true }, sessionId });
      case 'cancel-requested':
        return isStarted ? state('cancel_requested', {}) : undefined;
      default:
        return event satisfies never;
    }
  };
  const stopListening = request.listen(take);
  try {
    const ended = await request.done;
    // A run that was released did not finish: nothing more is waited for.
    if (ended.outcome === 'cancelled' && ended.isForced) left.abort();
    await following;
    const end = endOfRequest(ended, { sessionId, requestId });
    const runId = 'runId' in ended && ended.runId !== null ? ended.runId : undefined;
    if (isStarted)
      state(end.state, 'isForced' in end && end.isForced === true ? { forced: true } : {}, runId);
    if ('result' in end) {
      const { content } = end.result;
      const place = { sessionId, ...(runId !== undefined && { runId }) };
      // The request that started the run reports its end.
      const said = end.isJoined ? null : await readOut(content);
      if (said) emit({ ...said, ...place });
      if (!end.isJoined) emit({ event: 'done', data: { content }, ...place });
      return end.result;
    }
    const { rpc: code, message, data } = end.failure;
    const queue = 'queue' in data && { queue: data.queue };
    if (!end.isJoined) emit({ event: 'error', data: { code, message, ...queue }, sessionId });
    throw new FailedWith(end.failure);
  } finally {
    stopListening();
    signal.removeEventListener('abort', abort);
    left.abort();
  }
};
