import type { AppRouter } from '@drawbridge/server/router';
import {
  createTRPCClient,
  httpBatchLink,
  httpLink,
  httpSubscriptionLink,
  splitLink,
  type TRPCClient,
} from '@trpc/client';
import { proofHeaders, sessionProof } from './session-proof.ts';

export type Api = TRPCClient<AppRouter>;

/** Calls that may take minutes: not batched, so that no other request waits for them. */
const slow = new Set(['calls.run', 'voice.understand', 'voice.speak']);

interface Needs {
  /** Origin of `/trpc` without a slash at the end; empty for the panel's own origin. */
  origin: string;
  /** Replaces the browser's in tests. */
  EventSource?: typeof EventSource;
  fetch?: typeof fetch;
}

/** The server's procedures, typed by its router. */
export const createApi = ({ origin, EventSource, fetch }: Needs): Api => {
  const http = { url: `${origin}/trpc`, headers: proofHeaders, ...(fetch ? { fetch } : {}) };
  return createTRPCClient<AppRouter>({
    links: [
      splitLink({
        condition: (op) => op.type === 'subscription',
        true: httpSubscriptionLink({
          url: http.url,
          connectionParams: () => {
            const proof = sessionProof.read();
            return proof === null ? null : { sessionProof: proof };
          },
          ...(EventSource ? { EventSource } : {}),
        }),
        false: splitLink({
          condition: (op) => slow.has(op.path),
          true: httpLink(http),
          false: httpBatchLink({ ...http, maxItems: 10 }),
        }),
      }),
    ],
  });
};
