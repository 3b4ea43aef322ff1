import { rpcSubprotocol, ticketSubprotocol } from '@drawbridge/contracts/rpc/protocol';
import type { TokenScope } from '@drawbridge/contracts/tokens';
import { onTestFinished } from 'vitest';
import { WebSocket, type ClientOptions } from 'ws';
import { createPanel } from './panel.ts';
import type { TestServer } from './server.ts';

export interface RpcFrame {
  [field: string]: unknown;
  id?: string | number | null;
  event?: string;
  result?: Record<string, unknown>;
  error?: { code: number; message: string; data?: Record<string, unknown> };
  data?: Record<string, unknown>;
}

/** One socket of a plain client; `frames` in the order of their arrival. */
export const createRpc = (socket: WebSocket) => {
  const frames: RpcFrame[] = [];
  const waiting = new Set<() => void>();
  const closed = Promise.withResolvers<{ code: number; reason: string }>();
  let lastId = 0;
  socket.on('message', (data: Buffer) => {
    frames.push(JSON.parse(data.toString()) as RpcFrame);
    for (const look of waiting) look();
  });
  socket.on('error', () => {});
  socket.on('close', (code, reason) => closed.resolve({ code, reason: reason.toString() }));
  onTestFinished(() => socket.terminate());

  /** The first frame that fits, from now on or earlier. */
  const until = (fits: (frame: RpcFrame) => boolean): Promise<RpcFrame> =>
    new Promise((resolve) => {
      const look = () => {
        const found = frames.find(fits);
        if (!found) return;
        waiting.delete(look);
        resolve(found);
      };
      waiting.add(look);
      look();
    });
  const send = (frame: unknown) => socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame));
  const answerOf = (id: string | number) =>
    until((frame) => frame.id === id && ('result' in frame || 'error' in frame));
  return {
    socket,
    frames,
    until,
    send,
    answerOf,
    /** Calls a method; its last frame. */
    call: (method: string, params?: object): Promise<RpcFrame> => {
      const id = (lastId += 1);
      send({ id, method, ...(params && { params }) });
      return answerOf(id);
    },
    /** How the socket was closed. */
    closed: closed.promise,
  };
};

export type Rpc = ReturnType<typeof createRpc>;

const rpcUrl = ({ url }: TestServer, path = '/rpc') => url.replace('http', 'ws') + path;

interface Opening extends ClientOptions {
  path?: string;
  protocols?: string[];
}

/** An open socket, or the answer of HTTP that the server gave instead. */
export const openSocket = (
  server: TestServer,
  { path, protocols = [], ...options }: Opening = {},
): Promise<{ kind: 'open'; rpc: Rpc } | { kind: 'refused'; status: number; json: unknown }> =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(rpcUrl(server, path), protocols, options);
    // Before it is open: the first frame may come with the answer.
    const rpc = createRpc(socket);
    socket.once('open', () => resolve({ kind: 'open', rpc }));
    socket.once('unexpected-response', (_request, response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        resolve({ kind: 'refused', status: response.statusCode ?? 0, json: text && JSON.parse(text) });
      });
    });
    socket.once('error', reject);
  });

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** A socket with this token. */
export const openRpc = async (server: TestServer, token: string, more: Opening = {}): Promise<Rpc> => {
  const opened = await openSocket(server, { headers: bearer(token), ...more });
  if (opened.kind === 'refused') throw new Error(`refused with ${opened.status}`);
  return opened.rpc;
};

/** A new token of the person with that cookie. */
export const newToken = async (
  server: TestServer,
  cookie: string,
  scopes: TokenScope[] = ['agent', 'filesystemRead'],
): Promise<{ token: string; id: string }> =>
  createPanel(server, cookie).tokens.create.mutate({
    name: `script ${scopes.join(' ')}`.slice(0, 60),
    scopes,
  });

/** A ticket of the person with that cookie. */
export const newTicket = async (server: TestServer, cookie: string): Promise<string> => {
  const got = await server.send('/rpc/ticket', { method: 'POST', headers: { cookie } });
  return (got.json as { ticket: string }).ticket;
};

export const ticketProtocols = (ticket: string) => [rpcSubprotocol, ticketSubprotocol + ticket];

/** A socket of a person who is signed in. */
export const openPerson = async (server: TestServer, cookie: string): Promise<Rpc> => {
  const opened = await openSocket(server, { protocols: ticketProtocols(await newTicket(server, cookie)) });
  if (opened.kind === 'refused') throw new Error(`refused with ${opened.status}`);
  return opened.rpc;
};
