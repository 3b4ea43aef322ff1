import { randomUUID } from 'node:crypto';
import { rpcLimits } from '@drawbridge/contracts/rpc-protocol';
import type { WebSocket } from 'ws';
import type { Identity } from './identity.ts';
import type { RpcId } from '../../rpc/index.ts';
import type { Dialect } from './protocol/frame.ts';
import { eventFrame, type RpcEvent } from './protocol/reply.ts';
import { createRequests, type Requests } from './protocol/requests.ts';

/** One open socket; all that belongs to it ends with it. */
export interface Connection {
  readonly id: string;
  readonly identity: Identity;
  readonly requests: Requests;
  /** The session of requests that name none. */
  sessionId: string;
  /** Of the last readable frame; frames that show none are answered in it. */
  dialect: Dialect;
  /** When it opened, in milliseconds since 1970. */
  readonly since: number;
  /** Aborts when the socket is gone, or its access has ended. */
  readonly signal: AbortSignal;
  /** Writes a frame; `id` names the request that it belongs to. */
  send(frame: object, id?: RpcId | null): void;
  /** An event without a request. */
  event(event: RpcEvent): void;
  /** Closes the socket behind what was sent. */
  close(code: number, reason?: string): void;
  /** Runs once when the socket is gone; at once if it is. */
  onClosed(run: () => void): void;
}

interface Needs {
  socket: WebSocket;
  identity: Identity;
  since: number;
}

export const createConnection = ({ socket, identity, since }: Needs): Connection => {
  const id = randomUUID();
  const ending = new AbortController();
  const { signal } = ending;
  socket.once('close', () => ending.abort());

  const send = (frame: object) => {
    if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(frame));
  };
  const connection: Connection = {
    id,
    identity,
    since,
    signal,
    sessionId: `ws:${id}`,
    dialect: 'seed',
    requests: createRequests({ max: rpcLimits.openRequests, write: send }),
    send,
    event: (event) => send(eventFrame(connection.dialect, null, event)),
    close: (code, reason) => socket.close(code, reason),
    onClosed: (run) => {
      if (signal.aborted) run();
      else signal.addEventListener('abort', run, { once: true });
    },
  };
  return connection;
};
