import { restBase, restLimits } from '@drawbridge/contracts';
import type { Clock } from '@drawbridge/kit';
import type { FastifyPluginAsync, FastifyRequest } from 'fastify';
import type { AccessControl } from '../../auth/index.ts';
import { errors } from '../../errors.ts';
import type { Gateway } from '../../gateway/index.ts';
import { createPlaces, cutStreamsAtClose, refuseOtherMethods, type Limits } from '../../http/index.ts';
import { createAuthenticate } from './authenticate.ts';
import type { Caller } from './caller.ts';
import { cancelCallRoute } from './cancel-call.route.ts';
import { openApiDocument } from './document.ts';
import { eventsRoute } from './events.route.ts';
import { createFollow } from './follow.ts';
import { getCallRoute } from './get-call.route.ts';
import { listCallsRoute } from './list-calls.route.ts';
import type { Route } from './route.ts';
import { runCallRoute } from './run-call.route.ts';
import { createRun } from './run.ts';
import { statusRoute } from './status.route.ts';
import { toolsRoute } from './tools.route.ts';

/** The largest body, in bytes: the arguments of the largest call, escaped, and what goes around them. */
const bodyLimit = 5 * 1024 * 1024;

interface Needs {
  gateway: Gateway;
  access: AccessControl;
  limits: Limits;
  clock: Clock;
  /** The origin under which clients reach the server, and what refuses other hosts and other sites' pages. */
  site: { url(): string; guard(request: FastifyRequest): Promise<void> };
  /** Hears what was thrown inside, for the log. */
  onError(error: unknown): void;
}

const fastifyPath = (path: string) => restBase + path.replace(/\{(\w+)\}/g, ':$1');

/** The scripts' door: tool calls as JSON below `/api/v1`, with an access token, described by `/api/v1/openapi.json`. */
export const createRestDoor = (needs: Needs): FastifyPluginAsync => {
  const { access, limits, site } = needs;
  const authenticate = createAuthenticate({ access, limits });
  const follow = createFollow(needs);
  const routes: Route[] = [
    statusRoute(needs),
    toolsRoute(needs),
    runCallRoute({ gateway: needs.gateway, access, follow, run: createRun(needs) }),
    listCallsRoute(needs),
    getCallRoute({ follow }),
    cancelCallRoute(needs),
    eventsRoute({ ...needs, streams: createPlaces(restLimits.streamsPerToken) }),
  ];
  let document: object | null = null;

  return async (app) => {
    const callers = new WeakMap<FastifyRequest, Caller>();
    const cutAtClose = cutStreamsAtClose(app);
    app.addHook('onRequest', site.guard);
    app.addHook('onRequest', (_request, reply, done) => {
      reply.header('cache-control', 'no-store');
      done();
    });

    const refuseOthers = refuseOtherMethods(app);
    app.get(`${restBase}/openapi.json`, async () => (document ??= openApiDocument(routes, site.url())));
    for (const route of routes) {
      app.route({
        method: route.method,
        url: fastifyPath(route.path),
        bodyLimit,
        // Before the body is read: only who has a token may send a large one.
        onRequest: async (request, reply) => {
          callers.set(request, await authenticate(request, reply));
        },
        handler: async (request, reply) => {
          const caller = callers.get(request);
          if (!caller || reply.raw.destroyed) throw errors.unauthorized();
          cutAtClose(reply);
          return route.handle({ caller, request, reply });
        },
      });
    }
    refuseOthers();
  };
};
