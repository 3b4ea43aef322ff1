import { followThread, type Threads } from '@drawbridge/agent';
import { threadIdInput, type Thread, type ThreadFrame } from '@drawbridge/contracts/agent/threads';
import { hasCode } from '@drawbridge/kit';
import { tracked, type TrackedEnvelope } from '@trpc/server';
import { z } from 'zod';
import { errors } from '../../../errors.ts';
import { live } from '../live.ts';
import { agentProcedure } from './procedure.ts';

const eventNumber = z.union([
  z.number().int().nonnegative(),
  z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number),
]);
const eventsInput = threadIdInput.extend({ lastEventId: eventNumber.nullish() });

type Tracked = TrackedEnvelope<ThreadFrame> | ThreadFrame;

/** The frames of a thread; a stored event has its number as id, and a reader resumes behind it. */
export const eventsProcedure = agentProcedure.input(eventsInput).subscription(async function* ({
  ctx,
  input,
  signal,
}): AsyncGenerator<Tracked, void, unknown> {
  const { userId, accounts, session, streams } = ctx;
  const release = streams.acquire(userId);
  const ended = new AbortController();
  const stopWatching = accounts.watch(session, () => ended.abort());
  const either = AbortSignal.any([ended.signal, ...(signal ? [signal] : [])]);
  const { threadId, lastEventId } = input;
  const reader = { userId, threadId, lastEventId: lastEventId ?? 0, signal: either };
  try {
    for await (const frame of followThread(ctx.agent.threads, reader))
      yield frame.type === 'event' ? tracked(String(frame.id), frame) : frame;
    if (ended.signal.aborted) throw errors.unauthorized();
  } finally {
    stopWatching();
    release();
  }
});

/** `thread` is null once it is removed. */
export interface ThreadChange {
  threadId: string;
  thread: Thread | null;
}

const changeOf = async (threads: Threads, userId: string, threadId: string): Promise<ThreadChange> => {
  try {
    return { threadId, thread: await threads.get(userId, threadId) };
  } catch (error) {
    if (hasCode(error, 'NOT_FOUND')) return { threadId, thread: null };
    throw error;
  }
};

/** Each thread of the person that is made, changed, removed, or has another status. */
export const onThreadsProcedure = agentProcedure.subscription(({ ctx, signal }) =>
  live<ThreadChange>({
    accounts: ctx.accounts,
    streams: ctx.streams,
    session: ctx.session,
    signal,
    listen: (publish) =>
      ctx.agent.threads.onChanged(ctx.userId, (threadId) => {
        changeOf(ctx.agent.threads, ctx.userId, threadId).then(publish, ctx.onError);
      }),
    lengthOf: () => 0,
    first: async () => [],
  }),
);
