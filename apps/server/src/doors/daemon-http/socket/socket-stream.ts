import { createTimer, nextMacrotask, type Clock } from '@drawbridge/kit';
import type { SocketAnswer } from '@drawbridge/contracts/link/socket';
import type { DaemonEvent } from '@drawbridge/contracts/daemon-event';
import type { WebSocket } from 'ws';
import type { DaemonStream } from '../../../gateway/index.ts';

/** A reader with more unread bytes is too slow, as on the event stream. */
const maxUnreadBytes = 1024 * 1024;
/** Beyond this, the entries of one event loop turn are not gathered any further. */
const maxGatheredLength = 16 * 1024;
/** An acknowledgement waits so long for an event, or for others, to share a message with: */
const ackWaitMs = 2;
/** so many go at once, fewer than our daemon's posts of results under way at a time. */
const ackGroup = 4;
/** Unread bytes from which on calls that wait are not written yet. */
const readyBytes = 64 * 1024;
const pingEveryMs = 15_000;
const lingerMs = 5_000;

/** The writing end of a machine's socket: events and the answers to its posts. */
export const createSocketStream = (socket: WebSocket, clock: Clock) => {
  let gathered: string[] = [];
  let length = 0;
  let acks = 0;
  let isDue = false;
  let waiting: (() => void)[] = [];
  const ackTimer = createTimer(clock);

  const wake = () => {
    if (socket.readyState === socket.OPEN && socket.bufferedAmount > readyBytes) return;
    for (const resolve of waiting.splice(0)) resolve();
  };
  const flush = () => {
    const entries = gathered;
    gathered = [];
    length = 0;
    acks = 0;
    ackTimer.cancel();
    if (entries.length > 0 && socket.readyState === socket.OPEN) socket.send(`[${entries.join(',')}]`, wake);
  };
  const flushSoon = () => {
    if (isDue) return;
    isDue = true;
    void nextMacrotask().then(() => {
      isDue = false;
      flush();
    });
  };
  const add = (entry: string): boolean => {
    if (socket.readyState !== socket.OPEN) return false;
    if (socket.bufferedAmount > maxUnreadBytes) {
      socket.terminate();
      return false;
    }
    gathered.push(entry);
    length += entry.length;
    if (length > maxGatheredLength) flush();
    return true;
  };
  const write = (entry: string): boolean => {
    const isOpen = add(entry);
    if (isOpen) flushSoon();
    return isOpen;
  };

  const stopPings = clock.every(pingEveryMs, () => socket.readyState === socket.OPEN && socket.ping());
  socket.once('close', () => {
    stopPings();
    ackTimer.cancel();
    wake();
  });

  const stream: DaemonStream = {
    send: (_id: number, event: DaemonEvent) => write(`{"event":${JSON.stringify(event)}}`),
    ready: () =>
      new Promise((resolve) => {
        waiting.push(resolve);
        wake();
      }),
    close: () => {
      flush();
      socket.close(1001);
      // A dead reader never answers the close.
      socket.once(
        'close',
        clock.after(lingerMs, () => socket.terminate()),
      );
    },
  };
  return {
    stream,
    answer: (answer: SocketAnswer) => write(JSON.stringify(answer)),
    /** An answer that can wait: it shares the message of the next event, or of other acknowledgements. */
    acknowledge: (answer: SocketAnswer) => {
      if (!add(JSON.stringify(answer)) || gathered.length === 0) return;
      acks += 1;
      if (acks >= ackGroup) flushSoon();
      else if (!isDue && !ackTimer.isWaiting()) ackTimer.start(ackWaitMs, flush);
    },
  };
};

export type SocketStream = ReturnType<typeof createSocketStream>;
