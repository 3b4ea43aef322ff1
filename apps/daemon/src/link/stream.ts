import { daemonEvent, type DaemonEvent } from '@drawbridge/contracts/daemon-event';
import { createTimer, type Clock } from '@drawbridge/kit';
import type { EventSource, EventSourceInit } from 'eventsource';
import { parseJson } from '../text/parse-json.ts';
import type { Failure } from './connection.ts';
import { networkFailure, responseFailure } from './failure.ts';
import type { Http, HttpResponse } from './http.ts';
import type { StreamRequest } from './server-api.ts';

/** The server sends a comment every 15 s; three missing mean a dead connection. */
export const silenceMs = 45_000;
const openMs = 30_000;
/** What may come without the end of its event, in bytes. */
export const maxEventLength = 8 * 1024 * 1024;

/** What carries the server's events: a WebSocket, or the stream of the specification. */
export const ways = ['socket', 'stream'] as const;
export type Way = (typeof ways)[number];

export interface StreamEvents {
  /** A way is being opened; that of `stream` may follow that of `socket`. */
  tried(way: Way): void;
  /** `refused`: why there is no socket, where one was tried. */
  opened(way: Way, refused?: string): void;
  event(event: DaemonEvent): void;
  /** Said once, and the stream is closed then. */
  failed(failure: Failure): void;
}

const broken = (sentence: string): Failure => ({ kind: 'network', sentence });

/** An empty line. */
const eventEnds = ['\n\n', '\r\r', '\r\n\r\n'];

/** Counts the bytes that came since the last end of an event, this chunk's included. */
const createEventLength = () => {
  let length = 0;
  let tail: Uint8Array = new Uint8Array();
  return (chunk: Uint8Array): number => {
    const seen = Buffer.concat([tail, chunk]);
    const end = Math.max(...eventEnds.map((mark) => seen.lastIndexOf(mark)));
    length = end === -1 ? length + chunk.length : seen.length - end;
    tail = seen.subarray(-3);
    return length;
  };
};

export interface StreamNeeds {
  url: URL;
  http: Http;
  clock: Clock;
  streamRequest(key: string): StreamRequest;
  eventRead(id: string): void;
}

/**
 * Opens the server's event stream. The returned function closes it; no event follows. Every failure closes
 * the `EventSource` before it learns of it, so that it never reconnects.
 */
export const openStream = (
  { url, http, clock, streamRequest, eventRead }: StreamNeeds,
  key: string,
  events: Omit<StreamEvents, 'tried'>,
): (() => void) => {
  let source: EventSource | undefined;
  let closed = false;
  const timer = createTimer(clock);
  const close = () => {
    closed = true;
    timer.cancel();
    source?.close();
  };
  const fail = (failure: Failure) => {
    if (closed) return;
    close();
    events.failed(failure);
  };
  const failWith = (error: unknown) => fail(networkFailure(error));
  const waitAtMost = (ms: number, sentence: string) => {
    timer.start(ms, () => fail(broken(sentence)));
  };
  const waitForSound = () => waitAtMost(silenceMs, `no data for ${silenceMs / 1000} s`);

  const readerOf = (body: HttpResponse['body']) => {
    const chunks: AsyncIterator<Buffer, undefined> = body[Symbol.asyncIterator]();
    const eventLength = createEventLength();
    return {
      read: async () => {
        const next = await chunks.next().catch(failWith);
        if (closed || !next || next.done) {
          fail(broken('the server closed the stream'));
          return { done: true as const };
        }
        waitForSound();
        if (eventLength(next.value) > maxEventLength)
          fail(broken('the server sent an event of more than 8 MiB'));
        return { done: false as const, value: next.value };
      },
      cancel: async () => void body.destroy(),
    };
  };

  const fetch: EventSourceInit['fetch'] = async (_url, { signal, headers: standard }) => {
    const { path, headers } = streamRequest(key);
    const request = { method: 'GET' as const, path, headers: { ...standard, ...headers }, signal };
    const response = await http.request(request).catch((error: unknown) => {
      failWith(error);
      throw error;
    });
    if (response.status !== 200) fail(await responseFailure(response));
    return {
      url: url.href,
      status: response.status,
      redirected: false,
      headers: { get: response.header },
      body: { getReader: () => readerOf(response.body) },
    };
  };

  const open = async (): Promise<void> => {
    const { EventSource } = await import('eventsource');
    if (closed) return;
    source = new EventSource(url, { fetch });
    source.onopen = () => {
      waitForSound();
      events.opened('stream');
    };
    source.onmessage = ({ data, lastEventId }) => {
      eventRead(lastEventId);
      const event = parseJson(daemonEvent, data);
      if (event) events.event(event);
    };
    source.onerror = () => fail(broken('the server did not answer with a stream'));
  };

  waitAtMost(openMs, 'no answer in time');
  // Files of the program may be gone after an update.
  open().catch(failWith);
  return close;
};
