import { once } from 'node:events';
import { createServer } from 'node:http';
import type { FastifyInstance } from 'fastify';

/** The same app at a further port, with the same time-outs. */
export const createSecondPort = (app: FastifyInstance) => {
  const server = createServer((request, response) => app.routing(request, response));
  const { requestTimeout, headersTimeout, maxHeadersCount, timeout, keepAliveTimeout } = app.server;
  Object.assign(server, { requestTimeout, headersTimeout, maxHeadersCount, timeout, keepAliveTimeout });
  return {
    server,
    listen: async (place: { host: string; port: number }): Promise<void> => {
      const listening = once(server, 'listening');
      server.listen(place);
      await listening;
    },
    /** Resolves also when it does not listen. */
    close: () => new Promise<void>((resolve) => void server.close(() => resolve())),
  };
};
