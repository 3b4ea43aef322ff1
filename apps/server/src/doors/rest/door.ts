import { restBase } from '@drawbridge/contracts/rest';
import type { Clock } from '@drawbridge/kit';
import type { FastifyPluginAsync, FastifyRequest } from 'fastify';
import { createBearerGuard, type AccessControl } from '../../auth/index.ts';
import { bearerCaller, type BearerCaller } from '../../callers/index.ts';
import { errors } from '../../errors.ts';
import type { Gateway } from '../../gateway/index.ts';
import { cutStreamsAtClose, refuseOtherMethods, setCacheControl, type Limits } from '../../http/index.ts';
import { cancelCallRoute, getCallRoute, listCallsRoute } from './calls.routes.ts';
import { createEventsRoute } from './events.route.ts';
import { machinesRoute, statusRoute, toolsRoute } from './machine.routes.ts';
import { openApiDocument, type Route } from './route.ts';
import { runCallRoute } from './run-call.route.ts';

/** The largest body, in bytes: the arguments of the largest call, escaped, and what goes around them. */
const bodyLimit = 5 * 1024 * 1024;

interface Needs {
  gateway: Gateway;
  access: AccessControl;
  limits: Limits;
  clock: Clock;
  /** The origin under which clients reach the server, and what refuses other hosts and other sites' pages. */
  site: { url(): string; guard(request: FastifyRequest): Promise<void> };
  /** Reports what was thrown inside, for the log. */
  onError(error: unknown): void;
}

const fastifyPath = (path: string) => restBase + path.replace(/\{(\w+)\}/g, ':$1');

/**
 * The scripts' door: tool calls as JSON below `/api/v1`, with an access token, described by
 * `/api/v1/openapi.json`.
 */
export const createRestDoor = (needs: Needs): FastifyPluginAsync => {
  const { access, limits, site } = needs;
  // The header `Authorization: Bearer …` alone counts, never a cookie.
  const guard = createBearerGuard({ access, limits });
  const routes: Route[] = [
    machinesRoute,
    statusRoute,
    toolsRoute,
    runCallRoute(access),
    listCallsRoute,
    getCallRoute,
    cancelCallRoute,
    createEventsRoute(),
  ];
  let document: object | null = null;

  return async (app) => {
    const callers = new WeakMap<FastifyRequest, BearerCaller>();
    const cutAtClose = cutStreamsAtClose(app);
    app.addHook('onRequest', site.guard);
    setCacheControl(app, 'no-store');

    const refuseOthers = refuseOtherMethods(app);
    app.get(`${restBase}/openapi.json`, async () => (document ??= openApiDocument(routes, site.url())));
    for (const route of routes) {
      app.route({
        method: route.method,
        url: fastifyPath(route.path),
        bodyLimit,
        // Before the body is read: only who has a token may send a large one.
        onRequest: async (request, reply) => {
          callers.set(request, bearerCaller(await guard(request, reply)));
        },
        handler: async (request, reply) => {
          const caller = callers.get(request);
          if (!caller || reply.raw.destroyed) throw errors.unauthorized();
          cutAtClose(reply);
          return route.handle(needs, { caller, request, reply });
        },
      });
    }
    refuseOthers();
  };
};
