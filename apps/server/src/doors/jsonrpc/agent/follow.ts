import type { EndStatus, StoredEvent } from '@drawbridge/contracts/agent/events';
import type { ThreadFrame } from '@drawbridge/contracts/agent/threads';
import { hasCode } from '@drawbridge/kit';
import type { NamedSession } from '../../../agent/index.ts';
import { subscribe, type ReaderEvent, type Topic } from '../../../readers/index.ts';
import type { RpcContext } from '../context.ts';
import type { Identity } from '../identity.ts';
import type { RpcEvent } from '../protocol/reply.ts';
import { createRunEvents, type ToldRun } from './events.ts';
import { agentQuestion, confirmEvent, isAsk } from './questions.ts';
import { requireAgent } from './session.ts';
import { warnOfContext } from './warn-of-context.ts';

interface Following {
  identity: Identity;
  /** The newest event of the thread that the reader has. */
  afterSeq: number;
  emit(event: RpcEvent): void;
  signal: AbortSignal;
}

/** The frames of a thread and what happens beside it. Ends once the thread is removed. */
async function* follow(
  ctx: RpcContext,
  { identity: { userId }, afterSeq, signal }: Following,
  { threadId, beside }: { threadId: string; beside: Topic },
): AsyncGenerator<ReaderEvent, void, undefined> {
  const { gateway, onError } = ctx;
  const topics = [{ thread: threadId }, beside];
  const reader = { user: { userId }, topics, since: String(afterSeq), signal };
  try {
    yield* subscribe({ gateway, agent: requireAgent(ctx), onError }, reader);
  } catch (error) {
    if (!hasCode(error, 'NOT_FOUND')) throw error;
  }
}

/** Emits what happens in a run until it has finished, or the signal aborts. */
export const followRun = async (
  ctx: RpcContext,
  run: ToldRun,
  following: Omit<Following, 'identity'>,
): Promise<void> => {
  const { identity, threadId } = run;
  const { emit } = following;
  const since = ctx.clock.now();
  const take = createRunEvents(ctx, run, emit);
  for await (const event of follow(ctx, { identity, ...following }, { threadId, beside: 'output' }))
    if (await take(event)) return warnOfContext(ctx, { ...run, since }, emit);
};

const stateOf: Record<EndStatus, string> = {
  completed: 'complete',
  cancelled: 'cancelled',
  error: 'error',
  interrupted: 'error',
};

/** Emits what happens in all runs of a session, first what was missed, until the signal aborts. */
export const followSession = async (
  ctx: RpcContext,
  { session, ...following }: Following & { session: NamedSession },
): Promise<void> => {
  const { sessionId, threadId } = session;
  const { identity, emit } = following;
  const runs = new Map<string, ReturnType<typeof createRunEvents>>();
  let seq = following.afterSeq;
  let isCaughtUp = false;

  const runOf = (runId: string) => {
    const known = runs.get(runId) ?? createRunEvents(ctx, { identity, threadId, sessionId, runId }, emit);
    runs.set(runId, known);
    return known;
  };
  const state = ({ ts: timestamp, runId }: StoredEvent, data: object) =>
    emit({
      event: 'run_state',
      data: { ...data, timestamp },
      sessionId,
      seq,
      ...(runId !== null && { runId }),
    });
  const takeFrame = async (event: ReaderEvent, frame: ThreadFrame): Promise<void> => {
    const runId = frame.type === 'event' || frame.type === 'live' ? frame.event.runId : null;
    if (runId === null) return;
    if (frame.type === 'event' && frame.event.type === 'run-start')
      state(frame.event, { state: 'start', messageId: frame.event.payload.messageId });
    await runOf(runId)(event);
    if (frame.type !== 'event' || frame.event.type !== 'run-finish') return;
    runs.delete(runId);
    state(frame.event, { state: stateOf[frame.event.payload.status] });
  };

  try {
    for await (const event of follow(ctx, following, { threadId, beside: 'output' })) {
      if (event.topic !== 'thread') {
        for (const take of runs.values()) await take(event);
        continue;
      }
      const frame = event.event;
      if (frame.type === 'event') seq = frame.id;
      if (frame.type === 'reset') {
        seq = frame.nextEventId - 1;
        emit({ event: 'reset', data: { seq }, sessionId });
      }
      await takeFrame(event, frame);
      if (frame.type !== 'run-sync' || isCaughtUp) continue;
      isCaughtUp = true;
      emit({ event: 'caught_up', data: { seq }, sessionId });
    }
  } catch (error) {
    ctx.onError(error);
  }
};

/** Sends the questions of a thread, its agent's and those of machines, and how they were closed. */
export const followQuestions = async (
  ctx: RpcContext,
  { threadId, ...following }: Following & { threadId: string },
): Promise<void> => {
  const { identity, emit } = following;
  const ofAgent = ({ type, payload }: StoredEvent) => {
    if (type === 'confirmation-request' && !payload.resourceDecision)
      emit({ event: 'confirm_request', data: agentQuestion(ctx, { identity, threadId }, payload) });
    if (type === 'confirmation-closed' && isAsk(payload.requestId))
      emit({ event: 'confirm_resolved', data: { confirmId: payload.requestId, state: payload.outcome } });
  };
  try {
    for await (const { topic, event } of follow(ctx, following, { threadId, beside: 'confirmations' })) {
      if (topic === 'thread' && event.type === 'event') ofAgent(event.event);
      if (topic !== 'confirmations') continue;
      const { via } = event.confirmation;
      if (via?.kind === 'thread' && via.id === threadId)
        emit(confirmEvent(ctx, identity, event.confirmation));
    }
  } catch (error) {
    ctx.onError(error);
  }
};
