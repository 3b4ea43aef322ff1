import type { InputMethod } from '@drawbridge/contracts';
import type { JSONRPCResponse } from '@modelcontextprotocol/server';
import { nanoid } from 'nanoid';
import type { Whose } from './in-flight.ts';

/** What a client of revision 2025-11-25 is asked while its own request is being answered. */
export interface ClientRequest {
  method: InputMethod;
  params?: Record<string, unknown>;
}

/** A client's answer to a request of ours. */
export type ClientAnswer = { result: Record<string, unknown> } | { error: { message: string } };

/** Requests that went to clients on the streams of their own calls; the answers come in as messages of their own. */
export interface ClientRequests {
  /** Resolves with the client's answer; null once `signal` has aborted. */
  ask(whose: Whose, request: ClientRequest, how: Asking): Promise<ClientAnswer | null>;
  /** Takes an answer; one that nobody waits for is dropped. */
  take(whose: Whose, message: JSONRPCResponse): void;
}

/** Where the request goes, and when to stop waiting for the answer. */
export interface Asking {
  send(message: object): void;
  signal: AbortSignal;
}

export const createClientRequests = (): ClientRequests => {
  const waiting = new Map<string, (answer: ClientAnswer) => void>();
  const keyOf = ({ accessId, session }: Whose, id: unknown) => JSON.stringify([accessId, session, id]);

  return {
    ask: (whose, request, { send, signal }) =>
      new Promise((resolve) => {
        const id = nanoid();
        const key = keyOf(whose, id);
        const end = (answer: ClientAnswer | null) => {
          waiting.delete(key);
          signal.removeEventListener('abort', leave);
          resolve(answer);
        };
        const leave = () => end(null);
        if (signal.aborted) return resolve(null);
        signal.addEventListener('abort', leave);
        waiting.set(key, end);
        send({ jsonrpc: '2.0', id, ...request });
      }),
    take: (whose, { id, ...answer }) => waiting.get(keyOf(whose, id))?.(answer),
  };
};
