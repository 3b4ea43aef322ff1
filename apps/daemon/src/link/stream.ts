import { daemonEvent, type DaemonEvent } from '@drawbridge/contracts/daemon-event';
import { daemonMounts, daemonPaths } from '@drawbridge/contracts/daemon-paths';
import { createTimer, type Clock } from '@drawbridge/kit';
import { createParser } from 'eventsource-parser';
import { parseJson } from '../text/parse-json.ts';
import type { Failure } from './connection.ts';
import { networkFailure, responseFailure } from './failure.ts';
import type { Http, HttpResponse } from './http.ts';

/** The server sends a comment every 15 s; three missing mean a dead connection. */
export const silenceMs = 45_000;
const openMs = 30_000;
/** What may come without the end of its event, in characters. */
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

/** Opens the server's event stream. The returned function closes it; no event follows. */
export const openStream = (
  needs: { http: Http; clock: Clock; headers(key: string): Record<string, string> },
  key: string,
  events: Omit<StreamEvents, 'tried'>,
): (() => void) => {
  const abort = new AbortController();
  let closed = false;
  const timer = createTimer(needs.clock);
  const close = () => {
    closed = true;
    timer.cancel();
    abort.abort();
  };
  const fail = (failure: Failure) => {
    if (closed) return;
    close();
    events.failed(failure);
  };
  const waitAtMost = (ms: number, sentence: string) => {
    timer.start(ms, () => fail(broken(sentence)));
  };
  const waitForSound = () => waitAtMost(silenceMs, `no data for ${silenceMs / 1000} s`);

  const parser = createParser({
    maxBufferSize: maxEventLength,
    onEvent: ({ event: name, data }) => {
      const event =
        closed || (name !== undefined && name !== 'message') ? undefined : parseJson(daemonEvent, data);
      if (event) events.event(event);
    },
    onError: ({ type }) => {
      if (type === 'max-buffer-size-exceeded') fail(broken('the server sent an event of more than 8 MiB'));
    },
  });

  const noAnswer = (error: unknown) => fail(networkFailure(error));

  const read = async (body: HttpResponse['body']): Promise<void> => {
    const decoder = new TextDecoder();
    const chunks = body[Symbol.asyncIterator]();
    for (;;) {
      const chunk = await chunks.next().catch(noAnswer);
      if (closed || chunk === undefined) return;
      if (chunk.done) return fail(broken('the server closed the stream'));
      waitForSound();
      parser.feed(decoder.decode(chunk.value, { stream: true }));
    }
  };

  const open = async (): Promise<void> => {
    const path = daemonMounts.bare + daemonPaths.events;
    const headers = { accept: 'text/event-stream', ...needs.headers(key) };
    const response = await needs.http
      .request({ method: 'GET', path, headers, signal: abort.signal })
      .catch(noAnswer);
    if (closed || response === undefined) return;
    const isStream =
      response.status === 200 && response.header('content-type').startsWith('text/event-stream');
    if (!isStream) {
      const failure = await responseFailure(response);
      return fail(response.status === 200 ? broken('the server did not answer with a stream') : failure);
    }
    waitForSound();
    events.opened('stream');
    await read(response.body);
  };

  waitAtMost(openMs, 'no answer in time');
  void open();
  return close;
};
