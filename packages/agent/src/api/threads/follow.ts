import type { ThreadFrame, ThreadNow } from '@drawbridge/contracts/agent/threads';
import type { ThreadSignal } from './feed.ts';
import type { Threads } from './threads.ts';

interface Reader {
  userId: string;
  threadId: string;
  /** The number of the newest event that the reader has; 0 for all that are kept. */
  lastEventId: number;
  signal: AbortSignal;
}

/** Live text that waits for the reader, in UTF-16 code units; beyond it, it is replaced by `now`. */
const maxUnreadLength = 1024 * 1024;
const maxUnread = 1_000;

const lengthOf = (signal: ThreadSignal): number =>
  signal.type === 'live' && 'text' in signal.event.payload ? signal.event.payload.text.length : 0;

/** What waits for a reader, in order. */
const createUnread = () => {
  let signals: ThreadSignal[] = [];
  let length = 0;
  let isCut = false;
  let wake: () => void = () => {};
  return {
    add: (signal: ThreadSignal) => {
      const last = signals.at(-1)?.type;
      if (signal.type !== 'live' && (last === 'changed' || last === signal.type)) return;
      length += lengthOf(signal);
      signals.push(signal);
      // Live text is stored with its step, and until then part of `now`.
      if (length > maxUnreadLength || signals.length > maxUnread) {
        signals = [{ type: 'changed' }];
        length = 0;
        isCut = true;
      }
      wake();
    },
    take: (): ThreadSignal | undefined => {
      const signal = signals.shift();
      if (signal) length -= lengthOf(signal);
      return signal;
    },
    /** Whether live text was dropped since the last time. */
    takeCut: (): boolean => {
      const was = isCut;
      isCut = false;
      return was;
    },
    wake: () => wake(),
    /** Resolves with the next signal or wake-up. */
    more: () => new Promise<void>((resolve) => (wake = resolve)),
  };
};

/** Text that is being written comes as live events. */
const withoutPartial = ({ partial: _partial, ...now }: ThreadNow) => JSON.stringify(now);

/**
 * The frames of a thread's stream until the signal is aborted: missed events or a reset, `run-sync`, then
 * what happens. Throws `notFound` for an unknown thread, also once it is removed.
 */
export async function* followThread(
  threads: Pick<Threads, 'listen' | 'eventsAfter' | 'now'>,
  { userId, threadId, lastEventId, signal }: Reader,
): AsyncGenerator<ThreadFrame, void, undefined> {
  const unread = createUnread();
  const stopListening = threads.listen(userId, threadId, unread.add);
  signal.addEventListener('abort', unread.wake);
  let seq = lastEventId;
  let synced = '';
  unread.add({ type: 'changed' });
  try {
    while (!signal.aborted) {
      const next = unread.take();
      if (next === undefined) {
        await unread.more();
      } else if (next.type === 'live') {
        yield next;
      } else {
        const missed = await threads.eventsAfter(userId, threadId, seq);
        for (const { id, event } of missed.events) yield { type: 'event', id, event };
        seq = missed.lastSeq;
        if (missed.isReset) yield { type: 'reset', nextEventId: seq + 1 };
        if (next.type === 'stored') continue;
        const now = await threads.now(userId, threadId);
        if (unread.takeCut() || withoutPartial(now) !== synced) yield { type: 'run-sync', now };
        synced = withoutPartial(now);
      }
    }
  } finally {
    signal.removeEventListener('abort', unread.wake);
    stopListening();
  }
}
