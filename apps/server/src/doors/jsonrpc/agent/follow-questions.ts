import { followThread } from '@drawbridge/agent';
import type { StoredEvent } from '@drawbridge/contracts/agent/events';
import { hasCode } from '@drawbridge/kit';
import type { RpcContext } from '../context.ts';
import type { Identity } from '../identity.ts';
import type { RpcEvent } from '../protocol/reply.ts';
import { agentQuestion, confirmEvent, isAsk } from './questions.ts';
import { requireAgent } from './session.ts';

interface Following {
  identity: Identity;
  threadId: string;
  /** The newest event of the thread; questions after it are shown. */
  afterSeq: number;
  emit(event: RpcEvent): void;
  signal: AbortSignal;
}

/** Sends questions of machines about calls of the thread, and how they were closed. */
const followMachines = (ctx: RpcContext, { identity, threadId, emit }: Following): (() => void) =>
  ctx.gateway.confirmations.onChanged(identity.userId, ({ confirmation }) => {
    const { via } = confirmation;
    if (via?.kind === 'thread' && via.id === threadId) emit(confirmEvent(ctx, identity, confirmation));
  }).stop;

/** The same for the agent's own questions. */
const tellOwn = (
  ctx: RpcContext,
  { identity, threadId, emit }: Following,
  { type, payload }: StoredEvent,
): void => {
  if (type === 'confirmation-request' && !payload.resourceDecision)
    emit({ event: 'confirm_request', data: agentQuestion(ctx, { identity, threadId }, payload) });
  if (type === 'confirmation-closed' && isAsk(payload.requestId))
    emit({ event: 'confirm_resolved', data: { confirmId: payload.requestId, state: payload.outcome } });
};

/** Sends the questions of a thread, and how they were closed, until the signal aborts. */
export const followQuestions = async (ctx: RpcContext, following: Following): Promise<void> => {
  const { identity, threadId, afterSeq: lastEventId, signal } = following;
  const { userId } = identity;
  const stop = followMachines(ctx, following);
  try {
    const { threads } = requireAgent(ctx);
    for await (const frame of followThread(threads, { userId, threadId, lastEventId, signal }))
      if (frame.type === 'event') tellOwn(ctx, following, frame.event);
  } catch (error) {
    // The session was deleted.
    if (!hasCode(error, 'NOT_FOUND')) ctx.onError(error);
  } finally {
    stop();
  }
};
