import { followThread } from '@drawbridge/agent';
import { threadIdInput, type ThreadFrame } from '@drawbridge/contracts/agent/threads';
import { tracked, type TrackedEnvelope } from '@trpc/server';
import { z } from 'zod';
import { errors } from '../../../errors.ts';
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
