import { broken, openSocket, type SocketNeeds } from './socket.ts';
import { openStream, type StreamEvents, type StreamNeeds, type Way } from './stream.ts';

/** A proxy that refuses sockets is not asked again for this long. */
const refusedMs = 60 * 60 * 1_000;

interface Needs extends SocketNeeds, StreamNeeds {
  /** `stream`: no socket is tried. */
  way: Way;
  /** Whether the server of the last init has a socket. */
  hasSocket(): boolean;
}

/**
 * Opens the socket where it works, else the event stream; both carry the same events. A socket that
 * has worked and is late once is tried again: a busy server is no proxy that refuses.
 */
export const createOpenLink = (needs: Needs) => {
  const { clock, hasSocket, way } = needs;
  let refusedUntil = 0;
  let hasWorked = false;

  return (key: string, events: StreamEvents): (() => void) => {
    const tryStream = (its: StreamEvents) => {
      events.tried('stream');
      return openStream(needs, key, its);
    };
    if (way === 'stream' || !hasSocket() || clock.now() < refusedUntil) return tryStream(events);
    const fallBack = (refused: string) =>
      tryStream({
        ...events,
        // The stream works: so it was the socket that something in between refused.
        opened: (way) => {
          refusedUntil = clock.now() + refusedMs;
          events.opened(way, refused);
        },
      });
    events.tried('socket');
    let close = openSocket(needs, key, {
      ...events,
      opened: () => {
        hasWorked = true;
        events.opened('socket');
      },
      refused: (sentence, isLate) => {
        const isTriedAgain = isLate && hasWorked;
        hasWorked = false;
        if (isTriedAgain) events.failed(broken(sentence));
        else close = fallBack(sentence);
      },
    });
    return () => close();
  };
};
