import { createServer, type Server } from 'node:http';
import { bodyOf } from './bridge.ts';

/** Opens a port of 127.0.0.1 and gives its address. */
export const listen = (server: Server): Promise<string> =>
  new Promise((resolve) =>
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(`http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`);
    }),
  );

/**
 * `POST` with a tool call as JSON, answered with the result as JSON. The header `took-ms` is the time of
 * `call`, without the time between load generator and server.
 */
export const serveCalls = (call: (toolCall: string, path: string) => Promise<string>): Promise<string> =>
  listen(
    createServer({ keepAlive: true }, (request, response) => {
      const answer = async () => {
        const body = await bodyOf(request);
        const startedAt = process.hrtime.bigint();
        const result = await call(body, request.url ?? '');
        const tookMs = Number(process.hrtime.bigint() - startedAt) / 1e6;
        response.writeHead(200, { 'content-type': 'application/json', 'took-ms': tookMs }).end(result);
      };
      answer().catch((error: unknown) => response.writeHead(500).end(String(error)));
    }),
  );
