import { daemonEvent, daemonMounts, daemonSurface, type DaemonEvent } from '@drawbridge/contracts';
import type { Clock } from '@drawbridge/kit';
import { EventSource, type FetchLikeResponse } from 'eventsource';
import type { Failure } from './connection.ts';
import { networkFailure, responseFailure } from './failure.ts';
import type { Http, HttpResponse } from './http.ts';

/** The server sends a comment every 15 s; three missing mean a dead connection. */
const silenceMs = 45_000;
const openMs = 30_000;
const maxLineBytes = 8 * 1024 * 1024;
const newline = 10;

export interface StreamEvents {
  opened(): void;
  event(event: DaemonEvent): void;
  /** Said once, and the stream is closed then. */
  failed(failure: Failure): void;
}

const parse = (text: string): DaemonEvent | undefined => {
  try {
    return daemonEvent.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
};

const broken = (sentence: string): Failure => ({ kind: 'network', sentence });

/** How many bytes stand after the last newline, given how many stood there before this chunk. */
const openLineBytes = (before: number, chunk: Uint8Array): number => {
  const last = chunk.lastIndexOf(newline);
  return last === -1 ? before + chunk.length : chunk.length - last - 1;
};

/** Opens the server's event stream with `key` in a header. The returned function closes it, after which nothing is said. */
export const openStream = (
  needs: { http: Http; clock: Clock; headers(key: string): Record<string, string> },
  key: string,
  events: StreamEvents,
): (() => void) => {
  let closed = false;
  let stopWaiting = () => {};
  const close = () => {
    closed = true;
    stopWaiting();
    source.close();
  };
  const fail = (failure: Failure) => {
    if (closed) return;
    close();
    events.failed(failure);
  };
  const waitAtMost = (ms: number, sentence: string) => {
    stopWaiting();
    stopWaiting = needs.clock.after(ms, () => fail(broken(sentence)));
  };

  const reader = (response: HttpResponse) => {
    const chunks = response.body[Symbol.asyncIterator]();
    let lineBytes = 0;
    const read = async (): Promise<{ done: false; value: Uint8Array } | { done: true }> => {
      const chunk = await chunks.next().catch((error: unknown) => {
        fail(networkFailure(error));
        return { done: true as const };
      });
      if (closed) return { done: true };
      if (chunk.done) {
        fail(broken('the server closed the stream'));
        return { done: true };
      }
      waitAtMost(silenceMs, `nothing was heard for ${silenceMs / 1000} s`);
      lineBytes = openLineBytes(lineBytes, chunk.value);
      if (lineBytes > maxLineBytes) {
        fail(broken('the server sent a line of more than 8 MiB'));
        return { done: true };
      }
      return { done: false, value: chunk.value };
    };
    return { read, cancel: async () => void (await chunks.return?.()) };
  };

  const fetch = async (
    url: string | URL,
    init: { headers: Record<string, string>; signal: AbortSignal },
  ): Promise<FetchLikeResponse> => {
    const path = daemonMounts.bare + daemonSurface.events.path;
    const response = await needs.http
      .request({
        method: 'GET',
        path,
        headers: { ...init.headers, ...needs.headers(key) },
        signal: init.signal,
      })
      .catch((error: unknown) => {
        fail(networkFailure(error));
        throw error;
      });
    const isStream =
      response.status === 200 && response.header('content-type').startsWith('text/event-stream');
    if (!isStream) {
      const failure = await responseFailure(response);
      fail(response.status === 200 ? broken('the server did not answer with a stream') : failure);
    }
    return {
      status: response.status,
      url: String(url),
      redirected: false,
      headers: { get: response.header },
      body: { getReader: () => reader(response) },
    };
  };

  // The parser is the package's; connecting, failing and coming back are ours, on our clock.
  const source = new EventSource('http://stream.invalid/', { fetch });
  waitAtMost(openMs, 'no answer in time');
  source.onopen = () => {
    waitAtMost(silenceMs, `nothing was heard for ${silenceMs / 1000} s`);
    events.opened();
  };
  source.onmessage = (message) => {
    const event = closed ? undefined : parse(String(message.data));
    if (event) events.event(event);
  };
  return close;
};
