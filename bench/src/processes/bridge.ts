import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { systemClock } from '@drawbridge/kit';
import { WebSocketServer } from 'ws';

/** The baseline: sends a call on an event stream or a socket and waits for its result. No checks, no store. */
export interface Bridge {
  server: Server;
  /** Takes a tool call as JSON and gives what was posted for it, as JSON. */
  call(toolCall: string): Promise<string>;
}

const base = '/api/v1/instance-ai/gateway';
const json = { 'content-type': 'application/json' };

export const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  // Node types the chunks of a request without an encoding as any; they are buffers.
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
};

/** The reply to `POST init`, which only our daemon sends. It opens a socket where the server has one. */
const initReply = JSON.stringify({
  ok: true,
  sessionKey: `sess_${'b'.repeat(32)}`,
  epoch: 1,
  features: ['socket'],
});
/** Our daemon waits for a first event on either link, and opens a link again that says nothing for 45 s. */
const hello = '{"type":"probe","payload":{"id":1}}';
const helloEveryMs = 15_000;

/** A post on the socket; a message is an array of them. */
interface SocketPost {
  id: number;
  path: string;
  body: unknown;
}

export const createBridge = (): Bridge => {
  const waiting = new Map<string, (result: string) => void>();
  let send: (event: string) => void = () => {};
  let lastId = 1;
  systemClock.every(helloEveryMs, () => send(hello));

  const take = (path: string, body: string) => {
    if (!path.startsWith('/response/')) return;
    const requestId = path.slice('/response/'.length);
    waiting.get(requestId)?.(body);
    waiting.delete(requestId);
  };

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { url = '' } = request;
    if (url === `${base}/events`) {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      send = (event) => void response.write(`id: ${lastId}\ndata: ${event}\n\n`);
      return send(hello);
    }
    take(url.slice(base.length), await bodyOf(request));
    response.writeHead(200, json).end(url === `${base}/init` ? initReply : '{"ok":true}');
  };

  const sockets = new WebSocketServer({ noServer: true });
  sockets.on('connection', (socket) => {
    socket.on('message', (data: Buffer) => {
      // Our daemon wrote it.
      const posts = JSON.parse(data.toString()) as SocketPost[];
      for (const { path, body } of posts) take(path, JSON.stringify(body));
      socket.send(JSON.stringify(posts.map(({ id }) => ({ id, status: 200, body: { ok: true } }))));
    });
    send = (event) => socket.send(`[{"event":${event}}]`);
    send(hello);
  });
  // The bare daemon does not try again: a connection that is closed between two rounds would end it.
  const server = createServer(
    { keepAlive: true, keepAliveTimeout: 120_000 },
    (request, response) => void handle(request, response),
  );
  server.on('upgrade', (request, socket, head) =>
    sockets.handleUpgrade(request, socket, head, (opened) => sockets.emit('connection', opened)),
  );

  return {
    server,
    call: (toolCall) =>
      new Promise((resolve) => {
        lastId += 1;
        waiting.set(String(lastId), resolve);
        const payload = `{"requestId":"${lastId}","toolCall":${toolCall}}`;
        send(`{"type":"filesystem-request","payload":${payload}}`);
      }),
  };
};
