import { tracked, type TrackedEnvelope } from '@trpc/server';
import { nanoid } from 'nanoid';
import { errors } from '../../errors.ts';
import type { Accounts, Session } from '../../auth/index.ts';
import type { Quota, Unread } from '../../http/index.ts';

/**
 * A reader that leaves more than this unread is cut off; its client comes back and starts from what holds
 * then.
 */
const maxUnread = 1_000;
const maxUnreadLength = 4 * 1024 * 1024;

interface Source<T> {
  accounts: Accounts;
  session: Session;
  streams: Quota;
  unread: Pick<Unread, 'add'>;
  signal: AbortSignal | undefined;
  /** Hands each new event on; the returned function stops it. */
  listen(onEvent: (event: T) => void): () => void;
  /** How long the text of an event is, where that can be much; else 0. */
  lengthOf(event: T): number;
  /** What holds now. Read after listening has begun, so that nothing falls between the two. */
  first(): Promise<T[]>;
}

/**
 * What holds now, then each change, until the reader leaves or the session ends (`unauthorized`). Every
 * reader begins with what holds, so an id only has to differ from the one before.
 */
export async function* live<T>(source: Source<T>): AsyncGenerator<TrackedEnvelope<T>, void, unknown> {
  const leavePlace = source.streams.acquire(source.session.user.id);
  const unread: T[] = [];
  let unreadLength = 0;
  let behind = false;
  let ended = false;
  let wake: () => void = () => {};
  const counted = source.unread.add(source.session.user.id, {
    unread: () => unreadLength,
    cut: () => {
      behind = true;
      unread.length = 0;
      unreadLength = 0;
      wake();
    },
  });
  const stopListening = source.listen((event) => {
    if (behind) return;
    unread.push(event);
    unreadLength += source.lengthOf(event);
    behind = unread.length > maxUnread || unreadLength > maxUnreadLength;
    // A slow reader gets nothing before it reads on: until then nothing more is kept for it.
    if (behind) unread.length = 0;
    else counted.grew();
    wake();
  });
  const stopWatching = source.accounts.watch(source.session, () => {
    ended = true;
    wake();
  });
  const leave = () => wake();
  source.signal?.addEventListener('abort', leave);
  try {
    const first = await source.first();
    for (const event of first) unreadLength += source.lengthOf(event);
    unread.unshift(...first);
    while (!source.signal?.aborted) {
      if (ended) throw errors.unauthorized();
      if (behind) throw errors.internal({ message: 'The subscriber fell too far behind' });
      const event = unread.shift();
      if (event !== undefined) {
        unreadLength -= source.lengthOf(event);
        yield tracked(nanoid(), event);
      } else await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    source.signal?.removeEventListener('abort', leave);
    stopWatching();
    stopListening();
    counted.remove();
    leavePlace();
  }
}
