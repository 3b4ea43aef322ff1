import { threadIdInput, type ThreadFrame } from '@drawbridge/contracts/agent/threads';
import { tracked, type TrackedEnvelope } from '@trpc/server';
import { z } from 'zod';
import type { ReaderEvent } from '../../../readers/index.ts';
import { liveTopics } from '../live.ts';
import { agentProcedure } from '../trpc.ts';

const eventNumber = z.union([
  z.number().int().nonnegative(),
  z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number),
]);
const eventsInput = threadIdInput.extend({ lastEventId: eventNumber.nullish() });

const frameOf = ({ id, topic, event }: ReaderEvent): TrackedEnvelope<ThreadFrame> | ThreadFrame | undefined =>
  topic !== 'thread' ? undefined : id === null ? event : tracked(id, event);

/** The frames of a thread; a stored event has its number as id, and a reader resumes behind it. */
export const eventsProcedure = agentProcedure
  .input(eventsInput)
  .subscription(({ ctx, input: { threadId, lastEventId }, signal }) =>
    liveTopics(ctx, { topics: [{ thread: threadId }], since: String(lastEventId ?? 0), signal }, frameOf),
  );
