import type { InputMethod } from '@drawbridge/contracts/client-input';
import { isJSONRPCResponse, type JSONRPCResponse } from '@modelcontextprotocol/server';
import { nanoid } from 'nanoid';
import type { Gateway } from '../../../gateway/index.ts';
import type { ClientCapability } from '../tools/call.ts';

/** The client that an id of JSON-RPC belongs to: one token and session. */
export interface ClientKey {
  callerId: string;
  session: string | null;
}

/** A request to a client of revision 2025-11-25 while its own request is answered. */
export interface ClientRequest {
  method: InputMethod;
  params?: Record<string, unknown>;
}

export type ClientAnswer = { result: Record<string, unknown> } | { error: { message: string } };

/** How the request is sent, and when to stop waiting for the answer. */
export interface AskOptions {
  send(message: object): void;
  signal: AbortSignal;
}

/** A session of revision 2025-11-25: what its client can be asked for, and how. */
export interface ClientSession {
  capabilities: readonly ClientCapability[];
  ask(request: ClientRequest, options: AskOptions): Promise<ClientAnswer | null>;
}

/** Requests to clients on the streams of their own calls; the answers come in as messages of their own. */
export const createClientRequests = ({ clientMessages }: Pick<Gateway, 'clientMessages'>) => {
  const nameOf = ({ callerId, session }: ClientKey, id: unknown) =>
    JSON.stringify(['mcp question', callerId, session, id]);

  return {
    /** Resolves with the client's answer; null once `signal` has aborted. */
    ask: async (
      client: ClientKey,
      request: ClientRequest,
      { send, signal }: AskOptions,
    ): Promise<ClientAnswer | null> => {
      const id = nanoid();
      const { promise, resolve } = Promise.withResolvers<ClientAnswer | null>();
      const stop = await clientMessages.ask(nameOf(client, id), (answer) => {
        if (isJSONRPCResponse(answer)) resolve(answer);
      });
      const abort = () => resolve(null);
      signal.addEventListener('abort', abort);
      if (signal.aborted) abort();
      else send({ jsonrpc: '2.0', id, ...request });
      return promise.finally(() => {
        signal.removeEventListener('abort', abort);
        stop();
      });
    },
    /** Resolves the request that the message answers, also at another server; without one it is dropped. */
    resolve: (client: ClientKey, answer: JSONRPCResponse): Promise<void> =>
      clientMessages.answer(nameOf(client, answer.id), answer),
  };
};

export type ClientRequests = ReturnType<typeof createClientRequests>;
