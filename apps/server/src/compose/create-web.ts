import { sql } from 'kysely';
import { panelDir } from '../built-files.ts';
import {
  createLimits,
  createServer,
  createUpgrades,
  drainBodies,
  serveDaemon,
  serveHealth,
  serveNotFound,
  serveStatic,
  watchIdleSockets,
  watchRoutes,
  type DaemonPackage,
} from '../http/index.ts';
import type { AppNeeds, OpenAccounts } from './open-accounts.ts';

/** How long `close` waits for requests that are still being answered. */
const drainMs = 4_000;
const sweepEveryMs = 50;

interface Parts extends Pick<AppNeeds, 'config' | 'clock'> {
  opened: OpenAccounts;
  daemon: DaemonPackage | null;
}

/** The HTTP server with its limits, the panel's files and the packed daemon; the doors are added to it. */
export const createWeb = async ({ config, clock, opened, daemon }: Parts) => {
  const { address, log, store } = opened;
  const server = await createServer({
    log,
    trustProxy: config.trustProxy,
    secure: config.publicUrl?.startsWith('https:') ?? false,
    longestAnswerMs: config.callMaxMs,
  });
  drainBodies(server, clock);
  const routes = watchRoutes(server);
  const limits = await createLimits(server, { clock, config });
  const { closeIdle, forget } = watchIdleSockets(server.server);
  const upgrades = createUpgrades({ clock, onUpgraded: forget });
  upgrades.own(server.server);
  serveHealth(server, async () => void (await sql`select 1`.execute(store.db)));
  serveDaemon(server, { daemon, url: address.url });
  const servePage = await serveStatic(server, { panelDir, routes });
  serveNotFound(server, { limit: limits.notFound, servePage });

  return {
    server,
    limits,
    routes,
    upgrades,
    /** The open port; 0 before the server listens. */
    port: (): number => {
      const bound = server.server.address();
      return typeof bound === 'object' && bound !== null ? bound.port : 0;
    },
    /** Resolves when every request is answered, or was cut after 4 s. */
    close: async () => {
      const cancelCut = clock.after(drainMs, () => server.server.closeAllConnections());
      const closing = server.close();
      closeIdle();
      const stopSweeping = clock.every(sweepEveryMs, closeIdle);
      await closing;
      cancelCut();
      stopSweeping();
    },
  };
};

export type Web = Awaited<ReturnType<typeof createWeb>>;
