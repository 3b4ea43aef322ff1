import { once } from 'node:events';
import { rpcSubprotocol, ticketSubprotocol } from '@drawbridge/contracts/rpc/protocol';
import { WebSocket, type ClientOptions } from 'ws';
import { z } from 'zod';
import type { Person } from './client.ts';

const rpcFrame = z.looseObject({
  id: z.union([z.string(), z.number(), z.null()]).optional(),
  event: z.string().optional(),
  data: z.looseObject({}).optional(),
  result: z.looseObject({}).optional(),
  error: z.looseObject({ code: z.number(), message: z.string() }).optional(),
});
export type RpcFrame = z.infer<typeof rpcFrame>;

/** A client of the JSON-RPC door. */
export interface RpcClient {
  /** Sends a request; every frame with its id goes to `listen`, the last one is the answer. Rejects when the socket is closed. */
  call(
    method: string,
    params?: object,
    request?: { id?: string | undefined; listen?: ((frame: RpcFrame) => void) | undefined },
  ): Promise<RpcFrame>;
  /** Resolves when the socket is closed. */
  closed: Promise<void>;
  /** Closes the connection without a close frame. */
  drop(): void;
  /** Stops and resumes reading. */
  pause(): void;
  resume(): void;
}

const isLast = (frame: RpcFrame) => frame.result !== undefined || frame.error !== undefined;

const clientOf = (socket: WebSocket): RpcClient => {
  const open = new Map<unknown, (frame: RpcFrame | null) => void>();
  const closed = Promise.withResolvers<void>();
  let count = 0;
  socket.on('message', (data: Buffer) => {
    const frame = rpcFrame.parse(JSON.parse(data.toString()));
    open.get(frame.id)?.(frame);
  });
  socket.on('error', () => {});
  socket.once('close', () => {
    for (const take of open.values()) take(null);
    closed.resolve();
  });
  return {
    call: (method, params = {}, { id = `call-${(count += 1)}`, listen } = {}) =>
      new Promise((resolve, reject) => {
        open.set(id, (frame) => {
          if (frame === null) return reject(new Error('the socket is gone'));
          listen?.(frame);
          if (isLast(frame)) resolve(frame);
        });
        socket.send(JSON.stringify({ id, method, params }), (error) => error && reject(error));
      }),
    closed: closed.promise,
    drop: () => socket.terminate(),
    pause: () => socket.pause(),
    resume: () => socket.resume(),
  };
};

const open = async (url: string, protocols: string[], options: ClientOptions): Promise<RpcClient> => {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/rpc`, protocols, options);
  const client = clientOf(socket);
  await once(socket, 'open');
  return client;
};

/** With an access token. */
export const openRpc = (
  url: string,
  token: string,
  more: Readonly<Record<string, string>> = {},
): Promise<RpcClient> => open(url, [], { headers: { authorization: `Bearer ${token}`, ...more } });

/** As a person who is signed in, by a ticket. */
export const openPersonRpc = async (url: string, person: Person): Promise<RpcClient> => {
  const reply = await person.fetch('/rpc/ticket', { method: 'POST' });
  const { ticket } = z.object({ ticket: z.string() }).parse(await reply.json());
  return open(url, [rpcSubprotocol, ticketSubprotocol + ticket], {});
};
