import { rpcSubprotocol, ticketSubprotocol } from '@drawbridge/contracts/rpc/protocol';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { errors } from '../common/errors.ts';

const failure = z.object({
  code: z.number(),
  message: z.string(),
  data: z.record(z.string(), z.unknown()).optional(),
});

const frame = z.object({
  id: z.union([z.string(), z.number()]).nullable(),
  event: z.string().optional(),
  data: z.record(z.string(), z.unknown()).default({}),
  seq: z.number().optional(),
  runId: z.string().optional(),
  result: z.record(z.string(), z.unknown()).optional(),
  error: failure.optional(),
});
export type Frame = z.infer<typeof frame>;

/** What the server answered with; `rpc` is its number. */
export class Refused extends Error {
  readonly rpc: number;
  constructor({ code, message }: z.infer<typeof failure>) {
    super(message);
    this.rpc = code;
  }
}

/** The socket was closed before the answer; the same request may be sent again. */
export class Dropped extends Error {}

export type Credential = { kind: 'token'; token: string } | { kind: 'ticket'; ticket: string };

const addressOf = (server: URL): URL => {
  const url = new URL('rpc', server.href.replace(/\/?$/, '/'));
  url.protocol = server.protocol === 'https:' ? 'wss:' : 'ws:';
  return url;
};

interface Open {
  resolve(result: Record<string, unknown>): void;
  reject(error: Error): void;
  onEvent(frame: Frame): void;
}

const talk = (ws: WebSocket) => {
  const open = new Map<string | number, Open>();
  const closed = Promise.withResolvers<number>();
  let lastId = 0;

  ws.on('message', (data: Buffer) => {
    const read = frame.safeParse(JSON.parse(data.toString()));
    const request = read.success && read.data.id !== null ? open.get(read.data.id) : undefined;
    if (!read.success || !request) return;
    const { id, result, error } = read.data;
    if (error) request.reject(new Refused(error));
    else if (result) request.resolve(result);
    // Events of a subscription go on after its answer.
    if (error) open.delete(id ?? '');
    if (read.data.event !== undefined) request.onEvent(read.data);
  });
  ws.on('error', () => {
    // `close` follows.
  });
  ws.on('close', (code) => {
    for (const { reject } of open.values()) reject(new Dropped());
    closed.resolve(code);
  });

  return {
    /** Rejects with `Refused` or `Dropped`. */
    request: (method: string, params: object = {}, onEvent: Open['onEvent'] = () => {}) =>
      new Promise<Record<string, unknown>>((resolve, reject) => {
        if (ws.readyState !== WebSocket.OPEN) return reject(new Dropped());
        const id = (lastId += 1);
        open.set(id, { resolve, reject, onEvent });
        ws.send(JSON.stringify({ id, method, params }));
      }),
    /** Resolves with the close code. */
    closed: closed.promise,
    close: () => ws.close(1000),
  };
};
export type Socket = ReturnType<typeof talk>;

/** Opens the JSON-RPC door. Rejects with `Dropped`, or `refused` for a credential that is not valid. */
export const openSocket = (server: URL, credential: Credential): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const ws =
      credential.kind === 'token'
        ? new WebSocket(addressOf(server), { headers: { authorization: `Bearer ${credential.token}` } })
        : new WebSocket(addressOf(server), [rpcSubprotocol, ticketSubprotocol + credential.ticket]);
    const socket = talk(ws);
    ws.once('open', () => resolve(socket));
    ws.once('unexpected-response', (_request, { statusCode = 0 }) => {
      ws.terminate();
      reject(statusCode === 401 || statusCode === 403 ? errors.refused() : new Dropped());
    });
    ws.once('error', () => reject(new Dropped()));
  });
