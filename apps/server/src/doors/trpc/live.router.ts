import { liveInput, type LiveEvent } from '@drawbridge/contracts/live';
import { tracked, type TrackedEnvelope } from '@trpc/server';
import type { ReaderEvent, Topic } from '../../readers/index.ts';
import { liveTopics } from './live.ts';
import { router, userProcedure } from './trpc.ts';

const topics: Topic[] = ['machine', 'machines', 'calls', 'confirmations', 'settings', 'threads', 'usage'];

const frameOf = ({ id, ...event }: ReaderEvent): TrackedEnvelope<LiveEvent> | undefined =>
  event.topic === 'thread' ? undefined : tracked(id ?? '', event);

/**
 * The panel's one subscription: browsers open six connections to a server by HTTP/1.1, for all windows
 * together.
 */
export const liveRouter = router({
  /** The present state, then each change of every topic, for this user alone; the newest calls first. */
  onEvent: userProcedure.input(liveInput).subscription(({ ctx, input, signal }) => {
    const since = input?.lastEventId ?? undefined;
    return liveTopics({ ...ctx, agent: ctx.agent?.agent }, { topics, since, signal }, frameOf);
  }),
});
