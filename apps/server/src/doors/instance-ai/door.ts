import type { AgentModule } from '@drawbridge/agent';
import { moduleSettings as moduleSettingsSchema } from '@drawbridge/contracts/settings';
import type { Clock } from '@drawbridge/kit';
import type { FastifyInstance, FastifyPluginAsync, FastifyRequest } from 'fastify';
import type { AccessControl, Accounts } from '../../auth/index.ts';
import { errors } from '../../errors.ts';
import type { Gateway } from '../../gateway/index.ts';
import { createQuota, cutStreamsAtClose, refuseOtherMethods, type Limits } from '../../http/index.ts';
import { chatRoutes } from './chat.routes.ts';
import { eventsRoute } from './events.route.ts';
import { filesRoute } from './files.route.ts';
import { createIdentify, type Identity } from './identity.ts';
import { queueRoutes } from './queue.routes.ts';
import { idOf, type Route } from './route.ts';
import { settingsRoutes } from './settings.routes.ts';
import { threadRoutes } from './threads.routes.ts';

/** A message that waits, of the largest length, escaped. */
const bodyLimit = 256 * 1024;

interface Needs {
  module: AgentModule;
  gateway: Gateway;
  accounts: Accounts;
  access: AccessControl;
  limits: Limits;
  clock: Clock;
  /** Streams that one user may have open. */
  streamsPerUser: number;
  /** Refuses what another site sends with a user's cookie. */
  guardOrigin(request: FastifyRequest): Promise<void>;
  onError(error: unknown): void;
}

/** The two ways to reach the agent, and the envelope of each. */
const mounts = [
  { base: '/api/v1/instance-ai', wrap: (reply: object) => reply },
  { base: '/rest/instance-ai', wrap: (data: object) => ({ data }) },
] as const;

/** A token uses the threads that it has made. Throws `notFound` for another one. */
const requireOwnThread = async (
  { agent }: AgentModule,
  { userId, owner }: Identity,
  request: FastifyRequest,
): Promise<void> => {
  const { params } = request;
  if (owner === null || typeof params !== 'object' || params === null || !('threadId' in params)) return;
  await agent.threads.requireOwner(userId, idOf(request, 'threadId'), owner);
};

const routes: readonly Route[] = [
  ...chatRoutes,
  eventsRoute,
  ...threadRoutes,
  ...queueRoutes,
  ...settingsRoutes,
  filesRoute,
];

/** The agent over HTTP, at both mounts; docs/agent-http.md lists the operations. */
export const createInstanceAiDoor = (needs: Needs): FastifyPluginAsync => {
  const { module, gateway, clock, guardOrigin, onError } = needs;
  const identify = createIdentify(needs);
  const moduleSettings = async (userId: string) =>
    moduleSettingsSchema.parse(await gateway.settings.get(userId));
  const ctx = { module, gateway, moduleSettings, clock, onError, streams: createQuota(needs.streamsPerUser) };

  const mount =
    (wrap: (reply: object) => object) =>
    async (app: FastifyInstance): Promise<void> => {
      const identities = new WeakMap<FastifyRequest, Identity>();
      const cutAtClose = cutStreamsAtClose(app);
      app.addHook('onRequest', guardOrigin);
      app.addHook('onRequest', (_request, reply, done) => {
        reply.header('cache-control', 'no-store');
        done();
      });
      const refuseOthers = refuseOtherMethods(app);
      for (const route of routes) {
        const [method = '', url = ''] = route.address.split(' ');
        app.route({
          method,
          url,
          bodyLimit: route.bodyLimit ?? bodyLimit,
          // Before the body is read: only a user may send a large one.
          onRequest: async (request, reply) => {
            identities.set(request, await identify(request, reply, route.right));
          },
          handler: async (request, reply) => {
            const identity = identities.get(request);
            if (!identity || reply.raw.destroyed) throw errors.unauthorized();
            cutAtClose(reply);
            await requireOwnThread(module, identity, request);
            const answer = await route.handle(ctx, { ...identity, request, reply });
            return answer === reply ? reply : wrap(answer);
          },
        });
      }
      refuseOthers();
    };

  return async (app) => {
    for (const { base, wrap } of mounts) await app.register(mount(wrap), { prefix: base });
  };
};
