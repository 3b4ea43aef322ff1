import type { CallEvent } from '@drawbridge/contracts/calls';
import { liveEvent } from '@drawbridge/contracts/live';
import type { Listener } from './listener.ts';

interface Needs {
  /** Windows of another person share nothing. */
  userId: string;
  listener: Listener;
  /** Opens the stream for whoever leads. */
  open: (listener: Listener) => () => void;
  /** What a window that opens later has missed of running calls; hearing it twice must change nothing. */
  recall: () => CallEvent[];
}

/** What the leading window tells the others; read with care, as the other window may be of another version. */
type Word = { type: 'hello' | 'up' | 'down' | 'signed-out' } | { type: 'event'; event: unknown };

const pass = (word: Partial<Word> & { event?: unknown }, listener: Listener) => {
  switch (word.type) {
    case 'up':
      return listener.onUp();
    case 'down':
      return listener.onDown();
    case 'signed-out':
      return listener.onSignedOut();
    case 'event': {
      const read = liveEvent.safeParse(word.event);
      if (read.success) listener.onEvent(read.data);
      return;
    }
    default:
  }
};

/**
 * One stream for all windows of a person: browsers open six connections to a server by HTTP/1.1 and no more. One window
 * leads and tells the others; when it closes, the next one leads.
 * Without locks (a page over plain http on another host) each window has its own.
 */
export const shareLive = ({ userId, listener, open, recall }: Needs): (() => void) => {
  if (!('locks' in navigator) || typeof BroadcastChannel === 'undefined') return open(listener);

  const name = `drawbridge-live ${userId}`;
  const channel = new BroadcastChannel(name);
  const ending = new AbortController();
  let isUp = false;

  const tell = (word: Word) => channel.postMessage(word);
  const both = (word: Word) => {
    tell(word);
    pass(word, listener);
  };

  // A follower hears; it becomes the leader when the one before it has gone.
  channel.onmessage = ({ data }: MessageEvent<Partial<Word>>) => pass(data, listener);
  tell({ type: 'hello' });

  const lead = () =>
    new Promise<void>((release) => {
      channel.onmessage = ({ data }: MessageEvent<Partial<Word>>) => {
        if (data.type !== 'hello' || !isUp) return;
        tell({ type: 'up' });
        for (const event of recall()) tell({ type: 'event', event: { topic: 'calls', event } });
      };
      const close = open({
        onEvent: (event) => both({ type: 'event', event }),
        onUp: () => {
          isUp = true;
          both({ type: 'up' });
        },
        onDown: () => {
          isUp = false;
          both({ type: 'down' });
        },
        onSignedOut: () => both({ type: 'signed-out' }),
      });
      ending.signal.addEventListener('abort', () => {
        close();
        release();
      });
    });

  // Aborted while it waited: another window leads to the end.
  navigator.locks.request(name, { signal: ending.signal }, lead).catch(() => {});
  return () => {
    ending.abort();
    channel.close();
  };
};
