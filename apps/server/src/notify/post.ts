import { request as httpRequest, type IncomingMessage } from 'node:http';
import type { Clock } from '@drawbridge/kit';
import type { Outside } from '../auth/index.ts';
import { createPublicLookup, isPublicHost } from '../public-host.ts';

const answerWithinMs = 10_000;

interface PostNeeds {
  outside: Outside;
  clock: Clock;
}

export interface Outgoing {
  url: URL;
  headers: Record<string, string>;
  body: Uint8Array;
  /** Refuses addresses of this server's own network. */
  isPublicOnly: boolean;
}

/**
 * Posts once, without redirects, and reads no body. Resolves to the status of the answer; null for none in
 * 10 s, and for an address that is not public where it has to be.
 */
export const createPost = ({ outside, clock }: PostNeeds) => {
  const lookup = createPublicLookup(outside.resolve);
  return async ({ url, headers, body, isPublicOnly }: Outgoing): Promise<number | null> => {
    if (isPublicOnly && (url.protocol !== 'https:' || !isPublicHost(url.hostname))) return null;
    const ending = new AbortController();
    const stopTimer = clock.after(answerWithinMs, () => ending.abort());
    const send = url.protocol === 'https:' ? outside.request : httpRequest;
    try {
      return await new Promise<number>((resolve, reject) => {
        const answered = (response: IncomingMessage) => {
          response.destroy();
          resolve(response.statusCode ?? 0);
        };
        const options = {
          method: 'POST',
          agent: false,
          headers: { ...headers, 'content-length': body.byteLength },
          signal: ending.signal,
          ...(isPublicOnly && { lookup }),
        };
        send(url, options, answered).on('error', reject).end(body);
      });
    } catch {
      return null;
    } finally {
      stopTimer();
    }
  };
};

export type Post = ReturnType<typeof createPost>;
