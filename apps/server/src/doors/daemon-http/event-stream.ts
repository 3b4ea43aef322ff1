import { endOfTurn, type Clock } from '@drawbridge/kit';
import type { FastifyReply } from 'fastify';
import type { DaemonStream } from '../../gateway/index.ts';

/** A reader that leaves more than this unread is closed when the next frame comes; one frame alone may be larger. */
const maxQueuedBytes = 1024 * 1024;
/** Beyond this, what gathers in a turn goes out at once. */
const gatheredLength = 16 * 1024;
const pingEveryMs = 15_000;
/** What lies unread when a stream is closed has this long to go out. */
const lingerMs = 5_000;
/** The kernel asks an idle peer whether it is there: what dies with nothing under way is found out without a word of ours. */
const keepAliveMs = 10_000;

const headers = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
  connection: 'keep-alive',
};

export interface EventStream extends DaemonStream {
  /** Sends the head and a first comment, unless a frame has done so already. */
  open(): void;
}

/** A daemon's stream on a reply, which it takes over with the first byte. The frames of a turn are one write. */
export const createEventStream = (reply: FastifyReply, clock: Clock): EventStream => {
  const { raw } = reply;
  let opened = false;
  let gathered = '';

  const flush = () => {
    const text = gathered;
    gathered = '';
    if (text !== '' && !raw.destroyed && !raw.writableEnded) raw.write(text);
  };

  const write = (text: string): boolean => {
    if (raw.destroyed || raw.writableEnded) return false;
    if (raw.writableLength > maxQueuedBytes) {
      raw.destroy();
      return false;
    }
    if (gathered === '') void endOfTurn().then(flush);
    gathered += text;
    if (gathered.length > gatheredLength) flush();
    return true;
  };

  const open = () => {
    if (opened) return;
    opened = true;
    reply.hijack();
    for (const [name, value] of Object.entries({ ...reply.getHeaders(), ...headers })) {
      if (value !== undefined) raw.setHeader(name, value);
    }
    raw.socket?.setKeepAlive(true, keepAliveMs);
    raw.writeHead(200);
    write(': open\n\n');
    const stopPings = clock.every(pingEveryMs, () => write(': ping\n\n'));
    raw.once('close', stopPings);
  };

  return {
    open,
    send: (frameId, event) => {
      open();
      return write(`id: ${frameId}\ndata: ${JSON.stringify(event)}\n\n`);
    },
    ready: () =>
      new Promise((resolve) => {
        if (raw.destroyed || raw.writableEnded || !raw.writableNeedDrain) return resolve();
        raw.once('drain', resolve).once('close', resolve);
      }),
    close: () => {
      if (!opened || raw.destroyed) return;
      flush();
      // A reader that is dead takes nothing more, and its socket would stay for as long as the kernel tries.
      raw.once(
        'close',
        clock.after(lingerMs, () => raw.destroy()),
      );
      raw.end();
    },
  };
};
