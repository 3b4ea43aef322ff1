import type { Clock } from '@drawbridge/kit';
import { createCollector, runtimeHeap } from '@drawbridge/kit/node';
import type { EventEmitter } from 'node:events';
import type { FastifyInstance, FastifyPluginAsync, FastifyRequest } from 'fastify';
import { createBearerGuard, type AccessControl, type Accounts } from '../../auth/index.ts';
import type { Gateway } from '../../gateway/index.ts';
import {
  createQuota,
  refuseBrowsers,
  refuseOtherMethods,
  setCacheControl,
  type Limits,
} from '../../http/index.ts';
import { eventsRoute } from './events.route.ts';
import { initRoute } from './init.route.ts';
import { createLargeResultAdmission } from './large-result-admission.ts';
import { machineRoutes } from './machine.routes.ts';
import { mounts, type Mount } from './mount.ts';
import { createDaemonPosts } from './posts.ts';
import { responseRoute } from './response.route.ts';
import { socketRoute } from './socket/socket.route.ts';
import { userRoutes, type ConfirmAsk } from './user.route.ts';

/** Inits that are worked on at once; more are sent away to come back. */
const maxInits = 64;
/**
 * A result of a mebibyte leaves ten behind it: with one collection for several of them their copies would add
 * up.
 */
const collectedAtBytes = 512 * 1024;

interface Needs {
  gateway: Gateway;
  accounts: Accounts;
  access: AccessControl;
  limits: Limits;
  clock: Clock;
  /** Emits `upgrade` for `GET socket`. */
  upgrades: EventEmitter;
  /** Whether the bare mount's stream takes its key as `?apiKey=`. */
  allowQueryKey: boolean;
  /** Streams that one address may have open. */
  streamsPerAddress: number;
  /** The largest result, in bytes. */
  resultMaxBytes: number;
  /** Refuses what another site sends with a user's cookie. */
  guardOrigin(request: FastifyRequest): Promise<void>;
  /** Takes over the questions of the agent, where it is on. */
  confirmAsk?: ConfirmAsk;
}

/** The daemons' door, at both mounts, and the scripts' twins of the panel's procedures beside it. */
export const createDaemonDoor = (needs: Needs): FastifyPluginAsync => {
  const { gateway, accounts, access, limits, clock, resultMaxBytes, guardOrigin } = needs;
  const { daemon } = gateway;
  const { unread } = limits;
  const posts = createDaemonPosts(daemon);
  const inits = createQuota(maxInits);
  const streams = createQuota(needs.streamsPerAddress);
  const largeResults = createLargeResultAdmission(clock);
  const bearerGuard = createBearerGuard({ access, limits });
  const collector = createCollector(runtimeHeap(), collectedAtBytes);

  const machine = (mount: Mount) => async (app: FastifyInstance) => {
    app.addHook('onRequest', refuseBrowsers);
    const refuseOthers = refuseOtherMethods(app);
    initRoute(app, mount, { daemon, limits, inits });
    eventsRoute(app, mount, { daemon, clock, streams, unread });
    responseRoute(app, mount, { daemon, post: posts.response, resultMaxBytes, largeResults, collector });
    machineRoutes(app, mount, posts);
    if (mount.socket)
      await socketRoute(app, { daemon, posts, clock, streams, unread, upgrades: needs.upgrades });
    refuseOthers();
  };
  const person = (mount: Mount) => async (app: FastifyInstance) => {
    app.addHook('onRequest', guardOrigin);
    const refuseOthers = refuseOtherMethods(app);
    userRoutes(app, mount, { gateway, accounts, bearerGuard, confirmAsk: needs.confirmAsk ?? null });
    refuseOthers();
  };

  return async (app) => {
    setCacheControl(app, 'no-store');
    for (const mount of mounts(needs.allowQueryKey)) {
      await app.register(machine(mount), { prefix: `${mount.base}/gateway` });
      await app.register(person(mount), { prefix: mount.base });
    }
  };
};
