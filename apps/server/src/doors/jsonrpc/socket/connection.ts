import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { rpcLimits } from '@drawbridge/contracts/rpc/protocol';
import type { Clock } from '@drawbridge/kit';
import type { WebSocket } from 'ws';
import type { Unread } from '../../../http/index.ts';
import type { Identity } from '../identity.ts';
import type { Dialect, Failure } from '../protocol/error.ts';
import { errorFrame, eventFrame, type RpcEvent } from '../protocol/reply.ts';
import { createRequests, type Requests } from '../protocol/requests.ts';
import { createOutbox, type Delta } from './outbox.ts';

/** Close codes of RFC 6455 and its registry. */
export const closeCodes = {
  normal: 1000,
  unsupported: 1003,
  policy: 1008,
  restart: 1012,
  tryLater: 1013,
} as const;

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
  send(frame: object): void;
  /** An event without a request. */
  event(event: RpcEvent): void;
  /** Closes the socket behind what was sent, and reads nothing more. */
  close(code: number): void;
  /** The same with an error without a request before; what is open is aborted at once. */
  refuse(failure: Failure): void;
  /** Whether frames are read: they are while no reason speaks against it. */
  setReading(reason: 'frames' | 'outbox', isRead: boolean): void;
  /** Resolves once the person has not too much unread for another request, or the socket is gone. */
  whenServed(): Promise<void>;
  /** Runs once when the socket is gone; at once if it is. */
  onClosed(run: () => void): void;
}

interface Needs {
  socket: WebSocket;
  identity: Identity;
  clock: Clock;
  /** Counts what waits for each person. */
  unread: Pick<Unread, 'add'>;
}

const isText = (event: RpcEvent): event is Delta['event'] =>
  event.event === 'content' &&
  typeof event.data === 'object' &&
  event.data !== null &&
  'text' in event.data &&
  typeof event.data.text === 'string' &&
  !('transient' in event.data);

export const createConnection = ({ socket, identity, clock, unread }: Needs): Connection => {
  const id = randomUUID();
  const ending = new AbortController();
  const { signal } = ending;
  // Each open request and subscription has one.
  setMaxListeners(0, signal);
  const notRead = new Set<string>();

  const setReading = (reason: string, isRead: boolean) => {
    if (isRead) notRead.delete(reason);
    else notRead.add(reason);
    if (notRead.size === 0) socket.resume();
    else socket.pause();
  };
  let served = Promise.withResolvers<void>();
  served.resolve();
  const outbox = createOutbox({
    socket,
    clock,
    onRead: (isRead) => setReading('outbox', isRead),
    onTooSlow: () => socket.close(closeCodes.tryLater),
    onGrew: () => counted.grew(),
    onShrank: () => counted.shrank(),
  });
  const counted = unread.add(identity.userId, {
    unread: outbox.unread,
    cut: () => {
      outbox.end();
      socket.close(closeCodes.tryLater);
    },
    hold: (isHeld) => {
      setReading('person', !isHeld);
      if (isHeld) served = Promise.withResolvers<void>();
      else served.resolve();
    },
  });
  const send = (frame: object) => {
    if (socket.readyState === socket.OPEN) outbox.send(frame);
  };
  socket.once('close', () => {
    outbox.end();
    counted.remove();
    served.resolve();
    ending.abort();
  });

  const close = (code: number) => {
    // A paused socket would not read the client's own close.
    socket.resume();
    socket.close(code);
  };
  const connection: Connection = {
    id,
    identity,
    since: clock.now(),
    signal,
    sessionId: `ws:${id}`,
    dialect: 'seed',
    requests: createRequests({
      max: rpcLimits.openRequests,
      write: (dialect, requestId, event) => {
        if (socket.readyState !== socket.OPEN) return;
        if (isText(event)) outbox.delta({ id: requestId, dialect, event });
        else outbox.send(eventFrame(dialect, requestId, event));
      },
    }),
    send,
    event: (event) => send(eventFrame(connection.dialect, null, event)),
    close,
    refuse: (failure) => {
      send(errorFrame(connection.dialect, null, failure));
      close(closeCodes.policy);
      ending.abort();
    },
    setReading,
    whenServed: () => served.promise,
    onClosed: (run) => {
      if (signal.aborted) run();
      else signal.addEventListener('abort', run, { once: true });
    },
  };
  return connection;
};
