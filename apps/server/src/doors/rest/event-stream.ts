import { Readable } from 'node:stream';
import type { CallEvent, GatewayStatus } from '@drawbridge/contracts';
import { nanoid } from 'nanoid';

/** A reader that leaves more than this unread is cut off, in bytes. */
const maxUnread = 1024 * 1024;

/** What a stream of events carries; `event` is the name of the frame. */
export type RestEvent =
  | { event: 'status'; data: GatewayStatus }
  | { event: CallEvent['type']; data: CallEvent };

/** One `text/event-stream`: what is written to it goes out, each with an id of its own. */
export interface EventStream {
  readable: Readable;
  write(event: RestEvent): void;
  /** A comment, which keeps proxies from closing what is quiet. */
  ping(): void;
  close(): void;
}

export const createEventStream = (): EventStream => {
  const stream = new Readable({ read: () => {} });
  // Cut while something is on its way: nobody reads it any more.
  stream.on('error', () => {});
  const send = (text: string) => {
    if (stream.destroyed) return;
    stream.push(text);
    if (stream.readableLength > maxUnread) stream.destroy();
  };
  return {
    readable: stream,
    write: ({ event, data }) => send(`id: ${nanoid(12)}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`),
    ping: () => send(': ping\n\n'),
    close: () => void stream.destroy(),
  };
};
