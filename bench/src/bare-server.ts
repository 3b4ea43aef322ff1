// The baseline: takes a call, pushes it on an event stream, waits for the post with its result. No checks, no store.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

const waiting = new Map<string, ServerResponse>();
let daemon: ServerResponse | undefined;
let lastId = 0;

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  // Node types the chunks of a request without an encoding as any; they are buffers.
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
};

const json = { 'content-type': 'application/json' };

const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const { url = '' } = request;
  if (url === '/events') {
    daemon = response.writeHead(200, { 'content-type': 'text/event-stream' });
    daemon.write(': hello\n\n');
    return;
  }
  const body = await bodyOf(request);
  if (url === '/call') {
    const requestId = String(++lastId);
    waiting.set(requestId, response);
    daemon?.write(`data: {"requestId":"${requestId}","toolCall":${body}}\n\n`);
    return;
  }
  const requestId = url.slice('/response/'.length);
  waiting.get(requestId)?.writeHead(200, json).end(body);
  waiting.delete(requestId);
  response.writeHead(200, json).end('{"ok":true}');
};

const server = createServer({ keepAlive: true }, (request, response) => void handle(request, response));
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object' && address) console.log(`ready on http://127.0.0.1:${address.port}`);
});
