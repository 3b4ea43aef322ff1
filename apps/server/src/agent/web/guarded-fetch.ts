import { WebError } from '@drawbridge/agent';
import { parseUrl } from '@drawbridge/kit';
import type { Response } from 'undici';
import { createConnections, isPublicHost, readLimited, type Network } from '../../outside/index.ts';

export interface FetchLimits {
  connectMs: number;
  /** The longest time without a byte. */
  silenceMs: number;
  /** After decompression. */
  maxBytes: number;
  maxHeaderBytes: number;
  maxHops: number;
}

export const fetchLimits: FetchLimits = {
  connectMs: 10_000,
  silenceMs: 10_000,
  maxBytes: 5 * 1024 * 1024,
  maxHeaderBytes: 16 * 1024,
  maxHops: 5,
};

export interface FetchOptions {
  /** Asked for each redirect to another host. */
  mayFollow(url: URL): boolean;
  signal: AbortSignal;
}

export interface FetchedBody {
  url: URL;
  contentType: string;
  bytes: Buffer;
}

export type Fetched = { kind: 'body'; body: FetchedBody } | { kind: 'redirect'; url: string };

export interface GuardedFetch {
  fetch(url: string, options: FetchOptions): Promise<Fetched>;
  close(): Promise<void>;
}

/** One sentence for every failure before an answer: it does not show which addresses and ports exist. */
const unreachable = () => new WebError('The page could not be reached.');

const redirects = new Set([301, 302, 303, 307, 308]);
const webPorts = new Set(['', '80', '443']);

const headers = {
  accept: 'text/html,application/xhtml+xml,text/markdown,text/plain;q=0.9,application/json;q=0.8,*/*;q=0.5',
  'user-agent': 'Drawbridge',
};

/** Why a URL is not fetched, as far as that is known before its name is looked up; null: nothing known. */
const refusalOf = (url: URL): string | null => {
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return 'Only http and https pages can be fetched.';
  if (url.username !== '' || url.password !== '')
    return 'An address with a user name or password is not fetched.';
  if (!webPorts.has(url.port)) return 'Only the ports 80 and 443 are fetched.';
  return isPublicHost(url.hostname) ? null : 'The address is not public.';
};

const notAbsolute = 'This is not an absolute web address.';

/** See `WebPort.refusal`. A name is not looked up: that would already send it to somebody. */
export const addressRefusal = (text: string): string | null => {
  const url = parseUrl(text);
  return url ? refusalOf(url) : notAbsolute;
};

const readUrl = (text: string): URL => {
  const url = parseUrl(text);
  const why = url ? refusalOf(url) : notAbsolute;
  if (!url || why !== null) throw new WebError(why ?? notAbsolute);
  return url;
};

const resolveUrl = (location: string, from: URL): string => {
  try {
    return new URL(location, from).href;
  } catch {
    throw new WebError('The page redirects to an address that is not valid.');
  }
};

const cancelBody = async (response: Response) => {
  await response.body?.cancel().catch(() => {});
};

/** The next URL of a redirect, checked like the first one. */
const nextUrl = async (response: Response, from: URL): Promise<URL> => {
  await cancelBody(response);
  const location = response.headers.get('location');
  if (location === null) throw new WebError('The page redirects without an address.');
  const next = readUrl(resolveUrl(location, from));
  if (from.protocol === 'https:' && next.protocol === 'http:')
    throw new WebError('The page redirects from https to http, which is not followed.');
  return next;
};

/** Fetches public pages: no proxy, no cookies, no Referer, and only over addresses that were checked. */
export const createGuardedFetch = (network: Network, limits: FetchLimits = fetchLimits): GuardedFetch => {
  const connections = createConnections(network, {
    reach: 'internet',
    connectMs: limits.connectMs,
    silenceMs: limits.silenceMs,
    maxHeaderBytes: limits.maxHeaderBytes,
    maxReceivedBytes: 2 * limits.maxBytes,
  });

  const request = async (url: URL, signal: AbortSignal): Promise<Response> => {
    try {
      return await connections.fetch(url, { headers, signal });
    } catch {
      signal.throwIfAborted();
      throw unreachable();
    }
  };

  const readBody = async (response: Response, signal: AbortSignal): Promise<Buffer> => {
    try {
      return await readLimited(response.body, limits.maxBytes);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof RangeError) throw new WebError('The page is too large.');
      throw new WebError('The page stopped before its end.');
    }
  };

  return {
    fetch: async (text, { mayFollow, signal }) => {
      let url = readUrl(text);
      for (let hop = 0; hop <= limits.maxHops; hop += 1) {
        const response = await request(url, signal);
        if (!redirects.has(response.status)) {
          if (!response.ok) {
            await cancelBody(response);
            throw new WebError(`The page answered with status ${response.status}.`);
          }
          const bytes = await readBody(response, signal);
          const contentType = response.headers.get('content-type') ?? '';
          return { kind: 'body', body: { url, contentType, bytes } };
        }
        const next = await nextUrl(response, url);
        if (next.hostname !== url.hostname && !mayFollow(next)) return { kind: 'redirect', url: next.href };
        url = next;
      }
      throw new WebError(`The page redirects more than ${limits.maxHops} times.`);
    },
    close: connections.close,
  };
};
