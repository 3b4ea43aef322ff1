import * as http from 'node:http';
import type { Clock } from '@drawbridge/kit';

export interface HttpRequest {
  method: 'GET' | 'POST';
  path: string;
  headers?: Record<string, string>;
  body?: string;
  signal?: AbortSignal;
}

const socketTimeoutMs = 60_000;

/** By its events: an iterator over the few bytes of most answers takes longer than they do. */
const decodeText = (message: http.IncomingMessage, maxBytes: number): Promise<string> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const end = () => resolve(Buffer.concat(chunks).toString('utf8'));
    message.on('data', (chunk: Buffer) => {
      chunks.push(chunk.subarray(0, maxBytes - bytes));
      bytes += chunk.length;
      if (bytes < maxBytes) return;
      end();
      message.destroy();
    });
    message.on('end', end);
    message.on('error', reject);
    message.on('close', () => {
      if (!message.readableEnded) reject(new Error('the answer was cut off'));
    });
  });

/** What came back, whatever its status: a redirect is an answer like any other, and is never followed. */
export interface Answer {
  status: number;
  header(name: string): string;
  /** Reads at most `maxBytes` of the body; what lies beyond is dropped with the socket. */
  text(maxBytes: number): Promise<string>;
}

export interface HttpResponse extends Answer {
  body: http.IncomingMessage;
}

const toResponse = (message: http.IncomingMessage): HttpResponse => ({
  status: message.statusCode ?? 0,
  header: (name) => {
    const value = message.headers[name];
    return Array.isArray(value) ? value.join(', ') : (value ?? '');
  },
  body: message,
  text: (maxBytes) => decodeText(message, maxBytes),
});

/** HTTP to one server over kept-alive sockets. The address is fixed, so a key cannot go to another host. */
export const createHttp = (address: URL) => {
  // TLS is a good part of a start, and a server on this machine has none.
  const module = address.protocol === 'https:' ? process.getBuiltinModule('node:https') : http;
  const agent = new module.Agent({
    keepAlive: true,
    keepAliveMsecs: 15_000,
    maxSockets: 32,
    timeout: socketTimeoutMs,
  });
  const base = address.pathname.replace(/\/$/, '');
  const server = {
    agent,
    protocol: address.protocol,
    // Node wants an IPv6 address without its brackets.
    hostname: address.hostname.replace(/^\[|\]$/g, ''),
    port: address.port,
  };

  const options = (
    { method, path, headers }: HttpRequest,
    body: Buffer | undefined,
  ): http.RequestOptions => ({
    ...server,
    method,
    path: base + path,
    headers: {
      ...headers,
      ...(body === undefined ? {} : { 'content-type': 'application/json', 'content-length': body.length }),
    },
  });

  const request = (wanted: HttpRequest): Promise<HttpResponse> =>
    new Promise((resolve, reject) => {
      // As text it would be copied together with the head, into room for its longest encoding.
      const body = wanted.body === undefined ? undefined : Buffer.from(wanted.body);
      const outgoing = module.request(options(wanted, body), (message) => resolve(toResponse(message)));
      const { signal } = wanted;
      // Neither as an option of the request nor with an error: both would reach a socket without listeners.
      const stop = () => outgoing.destroy();
      signal?.addEventListener('abort', stop, { once: true });
      outgoing.on('error', reject);
      outgoing.on('close', () => signal?.removeEventListener('abort', stop));
      if (signal?.aborted) stop();
      outgoing.on(
        'timeout',
        () => wanted.method === 'POST' && outgoing.destroy(new Error('no answer in time')),
      );
      outgoing.end(body);
    });

  return { request, close: () => agent.destroy() };
};

export type Http = ReturnType<typeof createHttp>;

/** Runs requests to one server. Rejects with "no answer in time" when late or aborted. */
export const withServer = async <T>(
  url: URL,
  { clock, withinMs, signal }: { clock: Clock; withinMs: number; signal?: AbortSignal | undefined },
  run: (http: Http, signal: AbortSignal) => Promise<T>,
): Promise<T> => {
  const server = createHttp(url);
  const late = new AbortController();
  const cancel = clock.after(withinMs, () => late.abort());
  const until = signal ? AbortSignal.any([signal, late.signal]) : late.signal;
  try {
    return await run(server, until);
  } catch (error) {
    throw until.aborted ? new Error('no answer in time', { cause: error }) : error;
  } finally {
    cancel();
    server.close();
  }
};
