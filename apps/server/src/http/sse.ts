import type { Server, ServerResponse } from 'node:http';
import { createTransientMap, nextMacrotask, type Clock } from '@drawbridge/kit';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { atClose } from './client-disconnect.ts';

/** A reader with more unread bytes is too slow; a single frame may be larger. */
const maxUnreadBytes = 1024 * 1024;
/** Beyond this, the frames of one event loop turn are not gathered any further. */
const maxGatheredLength = 16 * 1024;
const pingEveryMs = 15_000;
/** The kernel probes an idle peer: a dead connection is found without a write of ours. */
const keepAliveMs = 10_000;

const streamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
  connection: 'keep-alive',
};

/** One event of a stream; `data` goes out as one line of JSON. */
export interface SseFrame {
  id?: string | number;
  event?: string;
  data: unknown;
}

interface SseOptions {
  clock: Clock;
  /** For a reader that is too slow, `close` ends the stream, `skip` drops frames until it has caught up. */
  slowReader: 'close' | 'skip';
  /** Beside those of a stream, instead of the reply's own, which Node keeps while the stream is open. */
  headers?: Readonly<Record<string, string>>;
}

const textOf = ({ id, event, data }: SseFrame): string =>
  `${id === undefined ? '' : `id: ${id}\n`}${event === undefined ? '' : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`;

const untilDrained = (raw: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      raw.off('drain', done).off('close', done);
      resolve();
    };
    raw.on('drain', done).on('close', done);
  });

/** An event stream on a reply, hijacked at the first byte. The frames of one turn are one write. */
export const createSseStream = (reply: FastifyReply, { clock, slowReader, headers }: SseOptions) => {
  const { raw } = reply;
  let isHeadWritten = false;
  let isOpened = false;
  let gathered = '';
  let drained: Promise<void> | undefined;

  const isClosed = () => raw.destroyed || raw.writableEnded;

  const writeHead = () => {
    if (isHeadWritten) return;
    isHeadWritten = true;
    reply.hijack();
    raw.socket?.setKeepAlive(true, keepAliveMs);
    for (const [name, value] of Object.entries(headers ? {} : reply.getHeaders())) {
      if (value !== undefined) raw.setHeader(name, value);
    }
    raw.writeHead(200, { ...headers, ...streamHeaders });
  };

  const flush = () => {
    const text = gathered;
    gathered = '';
    if (text !== '' && !isClosed()) raw.write(text);
  };

  const write = (text: string): boolean => {
    if (isClosed()) return false;
    if (raw.writableLength > maxUnreadBytes) {
      if (slowReader === 'close') raw.destroy();
      return false;
    }
    writeHead();
    if (gathered === '') void nextMacrotask().then(flush);
    gathered += text;
    if (gathered.length > maxGatheredLength) flush();
    return true;
  };

  return {
    /** Whether the head is written; the reply is then committed to a stream. */
    isOpen: (): boolean => isHeadWritten,
    /** Writes the head and a first comment, unless it is open, and a comment every 15 s from then on. */
    open: () => {
      if (isOpened) return;
      isOpened = true;
      write(': open\n\n');
      atClose(
        reply,
        clock.every(pingEveryMs, () => write(': ping\n\n')),
      );
    },
    /** Writes one frame, after the head. False if it was not written: the reader is gone or too slow. */
    send: (frame: SseFrame): boolean => write(textOf(frame)),
    /** Writes a comment, which readers ignore and proxies count as traffic. */
    comment: (text: string) => void write(`: ${text}\n\n`),
    /** Resolves when little is left unread, or the stream has closed. */
    ready: (): Promise<void> => {
      if (isClosed() || !raw.writableNeedDrain) return Promise.resolve();
      return (drained ??= untilDrained(raw).finally(() => (drained = undefined)));
    },
    /** Ends the stream behind what is unread, with a last frame where one is given. */
    end: (last?: SseFrame) => {
      if (isClosed()) return;
      writeHead();
      const text = gathered + (last ? textOf(last) : '');
      gathered = '';
      raw.end(text);
    },
  };
};

/** What cuts the event streams of each door of a server. */
const doorsOf = new WeakMap<Server, ((isCut: (reply: FastifyReply) => boolean) => void)[]>();

/** Destroys the event streams that clients only read; answers in the form of a stream go on. */
export const cutEventStreams = ({ server }: Pick<FastifyInstance, 'server'>): void => {
  for (const cut of doorsOf.get(server) ?? []) cut(({ request }) => request.method === 'GET');
};

/**
 * Destroys a door's event streams when the server closes; the returned function registers a reply. A client
 * takes an ended stream for complete and would not reconnect.
 */
export const cutStreamsAtClose = (app: FastifyInstance): ((reply: FastifyReply) => void) => {
  const answering = createTransientMap<string, FastifyReply>();
  const cut = (isCut: (reply: FastifyReply) => boolean) => {
    for (const reply of answering.values()) {
      const isStream = String(reply.raw.getHeader('content-type')).startsWith('text/event-stream');
      if (isStream && isCut(reply)) reply.raw.destroy();
    }
  };
  doorsOf.set(app.server, [...(doorsOf.get(app.server) ?? []), cut]);
  app.addHook('preClose', async () => cut(() => true));
  return (reply) => {
    const { id } = reply.request;
    answering.set(id, reply);
    atClose(reply, () => answering.delete(id));
  };
};
