import type { Clock } from '@drawbridge/kit';
import type { FastifyReply } from 'fastify';
import type { DaemonStream } from '../../gateway/index.ts';
import { atClose, createSseStream } from '../../http/index.ts';

/** What is unread when a stream is closed has this long to go out. */
const lingerMs = 5_000;

export interface EventStream extends DaemonStream {
  /** Sends the head and a first comment, unless a frame has done so already. */
  open(): void;
}

/** No page reads this stream, and Node keeps what an open one was sent: a page's headers take 4 KiB. */
const headers = { 'x-content-type-options': 'nosniff' };

/** A daemon's stream on a reply; a reader that is too slow loses it. */
export const createEventStream = (reply: FastifyReply, clock: Clock): EventStream => {
  const stream = createSseStream(reply, { clock, slowReader: 'close', headers });
  const { raw } = reply;
  return {
    open: stream.open,
    send: (id, data) => {
      stream.open();
      return stream.send({ id, data });
    },
    ready: stream.ready,
    close: () => {
      if (!stream.isOpen() || raw.destroyed) return;
      // A dead reader takes nothing more, and its socket would stay for as long as the kernel tries.
      atClose(
        reply,
        clock.after(lingerMs, () => raw.destroy()),
      );
      stream.end();
    },
  };
};
