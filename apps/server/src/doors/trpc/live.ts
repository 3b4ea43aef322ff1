import type { Agent } from '@drawbridge/agent';
import { errors } from '../../errors.ts';
import { subscribe, type ReaderEvent, type SubscribeInput } from '../../readers/index.ts';
import type { Context } from './context.ts';

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
