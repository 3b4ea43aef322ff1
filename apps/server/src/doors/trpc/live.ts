import { tracked, type TrackedEnvelope } from '@trpc/server';
import { nanoid } from 'nanoid';
import { errors } from '../../errors.ts';
import type { Accounts, Session } from '../../auth/index.ts';

/** A reader that leaves this many events unread is cut off; its client comes back and starts from what holds then. */
const maxUnread = 1_000;

interface Source<T> {
  accounts: Accounts;
  session: Session;
  signal: AbortSignal | undefined;
  /** Hands each new event on; the returned function stops it. */
  listen(hear: (event: T) => void): () => void;
  /** What holds now. Read after listening has begun, so that nothing falls between the two. */
  first(): Promise<T[]>;
}

/**
 * What holds now, then each change, until the reader leaves or the session ends (`unauthorized`).
 * Every reader begins with what holds, so an id only has to differ from the one before.
 */
export async function* live<T>(source: Source<T>): AsyncGenerator<TrackedEnvelope<T>, void, unknown> {
  const unread: T[] = [];
  let ended = false;
  let wake: () => void = () => {};
  const stopListening = source.listen((event) => {
    unread.push(event);
    wake();
  });
  const stopWatching = source.accounts.watch(source.session, () => {
    ended = true;
    wake();
  });
  const leave = () => wake();
  source.signal?.addEventListener('abort', leave);
  try {
    unread.unshift(...(await source.first()));
    while (!source.signal?.aborted) {
      if (ended) throw errors.unauthorized();
      if (unread.length > maxUnread) throw errors.internal({ message: 'The reader fell too far behind' });
      const event = unread.shift();
      if (event !== undefined) yield tracked(nanoid(), event);
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    source.signal?.removeEventListener('abort', leave);
    stopWatching();
    stopListening();
  }
}
