import { createServer, request, type Server } from 'node:http';

/** The suite has no way to send a token: this adds it to each request of `/mcp`, and changes nothing else. */
export interface TokenProxy {
  url: string;
  close(): Promise<void>;
}

const listening = (server: Server, port: number) =>
  new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve);
  });

/** Listens on `port` of 127.0.0.1 and passes everything on to `upstream`, an origin. */
export const startTokenProxy = async ({
  port,
  upstream,
  token,
}: {
  port: number;
  upstream: string;
  token: string;
}): Promise<TokenProxy> => {
  const server = createServer((incoming, outgoing) => {
    const { method, rawHeaders } = incoming;
    const path = incoming.url ?? '/';
    const headers = path.startsWith('/mcp')
      ? [...rawHeaders, 'authorization', `Bearer ${token}`]
      : rawHeaders;
    const onward = request(upstream + path, { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      answer.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    outgoing.on('close', () => onward.destroy());
    incoming.pipe(onward);
  });
  await listening(server, port);
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
