import { sql } from 'kysely';
import { withEarlierCookie } from '../auth/index.ts';
import { panelDir } from '../program/built-files.ts';
import {
  closeServers,
  createDraining,
  createLimits,
  createSecondPort,
  createServer,
  createUpgrades,
  cutEventStreams,
  drainBodies,
  portOf,
  serveDaemon,
  serveHealth,
  serveReady,
  serveNotFound,
  serveStatic,
  watchIdleSockets,
  watchRoutes,
  type DaemonPackage,
} from '../http/index.ts';
import type { AppNeeds, OpenAccounts } from './open-accounts.ts';
import type { Others } from './servers/connect-servers.ts';

const checkEveryMs = 60_000;

interface Parts extends Pick<AppNeeds, 'config' | 'clock'> {
  others: Pick<Others, 'bus'>;
  opened: OpenAccounts;
  daemon: DaemonPackage | null;
}

/** The HTTP server with its limits, the panel's files and the packed daemon; the doors are added to it. */
export const createWeb = async ({ config, clock, opened, daemon, others }: Parts) => {
  const { address, log, store } = opened;
  const server = await createServer({
    log,
    trustProxy: config.trustProxy,
    secure: config.publicUrl?.startsWith('https:') ?? false,
    longestAnswerMs: config.callMaxMs,
  });
  server.addHook('onRequest', async ({ headers }) => {
    if (headers.cookie !== undefined)
      headers.cookie = withEarlierCookie(headers.cookie, opened.accounts.cookieName);
  });
  const draining = createDraining(server);
  drainBodies(server, clock);
  const routes = watchRoutes(server);
  const limits = createLimits({ clock, config, shared: others.bus?.countUse ?? null });
  const { host, port, rpcPort } = config;
  const second = config.rpc && rpcPort !== undefined ? createSecondPort(server) : null;
  const servers = second ? [server.server, second.server] : [server.server];
  const { closeIdle, isIdle, forget } = watchIdleSockets(...servers);
  const upgrades = createUpgrades({ clock, onUpgraded: forget });
  for (const one of servers) upgrades.own(one);
  serveHealth(server, opened);
  // The log shows a full disk where nothing requests `/health`.
  const stopChecks = clock.every(checkEveryMs, () => void opened.canWrite());
  serveReady(server, {
    ...draining,
    check: async () => void (await sql`select 1`.execute(store.db)),
  });
  serveDaemon(server, { daemon, url: address.url });
  const servePage = await serveStatic(server, { panelDir, routes });
  serveNotFound(server, { limit: limits.notFound, servePage });

  return {
    server,
    limits,
    measures: { routes, unreadBytes: limits.unread.bytes },
    upgrades,
    /** The open port; 0 before the server listens. */
    port: (): number => portOf(server),
    /** The port of `RPC_PORT`; null without one. */
    rpcPort: (): number | null => second && portOf(second),
    listen: async (): Promise<void> => {
      await server.listen({ host, port });
      await second?.listen({ host, port: rpcPort ?? 0 });
      address.listening(portOf(server), second && portOf(second));
    },
    /** How the server stops to serve; its event streams are cut where clients only read them. */
    draining: { ...draining, isIdle, cutEventStreams: () => cutEventStreams(server) },
    /** Resolves when every request is answered, or was cut after 4 s. */
    close: () => {
      stopChecks();
      return closeServers(servers, {
        clock,
        close: () => Promise.all([server.close(), second?.close()]),
        closeIdle,
      });
    },
  };
};

export type Web = Awaited<ReturnType<typeof createWeb>>;
