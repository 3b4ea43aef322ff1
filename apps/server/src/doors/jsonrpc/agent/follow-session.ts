import { followThread } from '@drawbridge/agent';
import type { EndStatus } from '@drawbridge/contracts/agent/events';
import type { ThreadFrame } from '@drawbridge/contracts/agent/threads';
import { hasCode } from '@drawbridge/kit';
import type { NamedSession } from '../../../agent/index.ts';
import type { RpcContext } from '../context.ts';
import type { Identity } from '../identity.ts';
import type { RpcEvent } from '../protocol/reply.ts';
import { requireAgent } from './session.ts';
import { createRunTeller } from './tell-run.ts';

interface Following {
  identity: Identity;
  session: NamedSession;
  /** The newest event that the reader has. */
  afterSeq: number;
  emit(event: RpcEvent): void;
  signal: AbortSignal;
}

const stateOf: Record<EndStatus, string> = {
  completed: 'complete',
  cancelled: 'cancelled',
  error: 'error',
  interrupted: 'error',
};

const runIdOf = (frame: ThreadFrame): string | null =>
  frame.type === 'event' || frame.type === 'live' ? frame.event.runId : null;

/** Emits what happens in all runs of a session, first what was missed, until the signal aborts. */
export const followSession = async (
  ctx: RpcContext,
  { identity, session, afterSeq, emit, signal }: Following,
): Promise<void> => {
  const { userId } = identity;
  const { sessionId, threadId } = session;
  const { threads } = requireAgent(ctx);
  const runs = new Map<string, ReturnType<typeof createRunTeller>>();
  let seq = afterSeq;
  let isCaughtUp = false;

  const tellerOf = (runId: string) => {
    const known = runs.get(runId) ?? createRunTeller(ctx, { identity, threadId, sessionId, runId }, emit);
    runs.set(runId, known);
    return known;
  };
  const state = (frame: Extract<ThreadFrame, { type: 'event' }>, data: object) => {
    const { ts: timestamp, runId } = frame.event;
    const place = { sessionId, seq: frame.id, ...(runId !== null && { runId }) };
    emit({ event: 'run_state', data: { ...data, timestamp }, ...place });
  };
  const end = (runId: string) => {
    runs.get(runId)?.stop();
    runs.delete(runId);
  };

  const tell = async (frame: ThreadFrame): Promise<void> => {
    const runId = runIdOf(frame);
    if (runId === null) return;
    if (frame.type === 'event' && frame.event.type === 'run-start')
      state(frame, { state: 'start', messageId: frame.event.payload.messageId });
    const isFinished = await tellerOf(runId).take(frame);
    if (!isFinished || frame.type !== 'event' || frame.event.type !== 'run-finish') return;
    end(runId);
    state(frame, { state: stateOf[frame.event.payload.status] });
  };

  try {
    for await (const frame of followThread(threads, { userId, threadId, lastEventId: afterSeq, signal })) {
      if (frame.type === 'event') seq = frame.id;
      if (frame.type === 'reset') {
        seq = frame.nextEventId - 1;
        emit({ event: 'reset', data: { seq }, sessionId });
      }
      await tell(frame);
      if (frame.type !== 'run-sync' || isCaughtUp) continue;
      isCaughtUp = true;
      emit({ event: 'caught_up', data: { seq }, sessionId });
    }
  } catch (error) {
    // The session was deleted.
    if (!hasCode(error, 'NOT_FOUND')) ctx.onError(error);
  } finally {
    for (const runId of runs.keys()) end(runId);
  }
};
