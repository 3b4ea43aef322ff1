import type { FastifyInstance } from 'fastify';

/** One method and URL pattern as registered. */
export interface HttpRoute {
  method: string;
  url: string;
}

/** Records every route that is registered from now on, so that tests cover all of them. */
export const watchRoutes = (app: FastifyInstance): (() => readonly HttpRoute[]) => {
  const routes: HttpRoute[] = [];
  app.addHook('onRoute', ({ method, url }) => {
    for (const name of [method].flat()) routes.push({ method: name, url });
  });
  return () => routes;
};
