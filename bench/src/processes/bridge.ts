import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';

/** The baseline: sends a call on an event stream and waits for its result. No checks, no store. */
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

/** What `POST init` is answered with: our daemon asks for it, the bare one does not. */
const initReply = JSON.stringify({ ok: true, sessionKey: `sess_${'b'.repeat(32)}`, epoch: 1 });
/** Our daemon expects the probe of a stream that is not held back. */
const hello = 'id: 1\ndata: {"type":"probe","payload":{"id":1}}\n\n';

export const createBridge = (): Bridge => {
  const waiting = new Map<string, (result: string) => void>();
  let daemon: ServerResponse | undefined;
  let lastId = 1;

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { url = '' } = request;
    if (url === `${base}/events`) {
      daemon = response.writeHead(200, { 'content-type': 'text/event-stream' });
      daemon.write(hello);
      return;
    }
    const body = await bodyOf(request);
    if (url.startsWith(`${base}/response/`)) {
      const requestId = url.slice(base.length + '/response/'.length);
      waiting.get(requestId)?.(body);
      waiting.delete(requestId);
    }
    response.writeHead(200, json).end(url === `${base}/init` ? initReply : '{"ok":true}');
  };

  return {
    // The bare daemon does not try again: a socket that is closed between two rounds would end it.
    server: createServer(
      { keepAlive: true, keepAliveTimeout: 120_000 },
      (request, response) => void handle(request, response),
    ),
    call: (toolCall) =>
      new Promise((resolve) => {
        lastId += 1;
        waiting.set(String(lastId), resolve);
        const payload = `{"requestId":"${lastId}","toolCall":${toolCall}}`;
        daemon?.write(`id: ${lastId}\ndata: {"type":"filesystem-request","payload":${payload}}\n\n`);
      }),
  };
};
