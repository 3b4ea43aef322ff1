import type { FastifyInstance } from 'fastify';

/** A way in: one method of one address, with the names of its parameters as they were registered. */
export interface HttpRoute {
  method: string;
  url: string;
}

/** Lists all routes that are registered from now on, for tests that leave none out. */
export const watchRoutes = (app: FastifyInstance): (() => readonly HttpRoute[]) => {
  const routes: HttpRoute[] = [];
  app.addHook('onRoute', ({ method, url }) => {
    for (const name of [method].flat()) routes.push({ method: name, url });
  });
  return () => routes;
};
