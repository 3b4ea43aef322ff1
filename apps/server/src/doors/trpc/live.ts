import type { Agent } from '@drawbridge/agent';
import { liveInput, type LiveEvent } from '@drawbridge/contracts/live';
import { tracked, type TrackedEnvelope } from '@trpc/server';
import { errors } from '../../errors.ts';
import { subscribe, type ReaderEvent, type SubscribeInput, type Topic } from '../../readers/index.ts';
import type { Context } from './context.ts';
import { router, userProcedure } from './trpc.ts';

type Needs = Pick<Context, 'accounts' | 'streams'> & {
  session: NonNullable<Context['session']>;
  signal: AbortSignal | undefined;
};

/** What is read until the reader leaves or the session ends (`unauthorized`); one of a person's places. */
export async function* live<Event>(
  { accounts, streams, session, signal }: Needs,
  open: (signal: AbortSignal) => AsyncIterable<Event>,
): AsyncGenerator<Event, void, unknown> {
  const release = streams.acquire(session.user.id);
  const ended = new AbortController();
  const stopWatching = accounts.watch(session, () => ended.abort());
  try {
    yield* open(AbortSignal.any([ended.signal, ...(signal ? [signal] : [])]));
    if (ended.signal.aborted) throw errors.unauthorized();
  } finally {
    stopWatching();
    release();
  }
}

interface LiveContext extends Omit<Needs, 'signal'>, Pick<Context, 'gateway' | 'unread' | 'onError'> {
  userId: string;
  agent?: Agent | undefined;
}

/** Topics of the signed-in user, as frames; an event that has none is left out. */
export async function* liveTopics<Frame>(
  ctx: LiveContext,
  { signal, ...input }: Pick<SubscribeInput, 'topics' | 'since'> & Pick<Needs, 'signal'>,
  frameOf: (event: ReaderEvent) => Frame | undefined,
): AsyncGenerator<Frame, void, unknown> {
  const { unread, userId } = ctx;
  const open = (until: AbortSignal) => subscribe(ctx, { ...input, user: { userId }, unread, signal: until });
  for await (const event of live({ ...ctx, signal }, open)) {
    const frame = frameOf(event);
    if (frame !== undefined) yield frame;
  }
}

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
