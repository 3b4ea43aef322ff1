import type { Clock } from '@drawbridge/kit';
import { createConnections, createDeadline, type Network } from '../outside/index.ts';

const answerWithinMs = 10_000;

interface PostNeeds {
  outside: Network;
  clock: Clock;
}

export interface Outgoing {
  url: URL;
  headers: Record<string, string>;
  body: Uint8Array;
  /** Refuses addresses of this server's own network, and what is not https. */
  isPublicOnly: boolean;
}

/**
 * Posts once, without redirects, and reads no body. Resolves to the status of the answer; null for none in
 * 10 s, and for an address that is not public where it has to be.
 */
export const createPost = ({ outside, clock }: PostNeeds) => {
  const internet = createConnections(outside, { reach: 'internet' });
  const anywhere = createConnections(outside, { reach: 'anywhere' });
  return async ({ url, headers, body, isPublicOnly }: Outgoing): Promise<number | null> => {
    const { signal, stop } = createDeadline({ clock, ms: answerWithinMs });
    try {
      const { send } = isPublicOnly ? internet : anywhere;
      const answer = await send(url, { method: 'POST', headers, body, signal });
      answer.body.on('error', () => {}).destroy();
      return answer.statusCode;
    } catch {
      return null;
    } finally {
      stop();
    }
  };
};

export type Post = ReturnType<typeof createPost>;
