import { fileURLToPath } from 'node:url';
import type { Clock } from '@drawbridge/kit';
import { sql } from 'kysely';
import { nanoid } from 'nanoid';
import {
  createAccess,
  createAccounts,
  createAuthRoutes,
  createBetterAuth,
  createForgetExpired,
  createMetadataRoutes,
  createOauthRoutes,
  readSecret,
  systemOutside,
  type Outside,
} from './auth/index.ts';
import type { Config } from './config.ts';
import { migrate, openDatabase } from './db/index.ts';
import { createDaemonDoor } from './doors/daemon-http/index.ts';
import { createMcpDoor } from './doors/mcp/index.ts';
import { createRestDoor } from './doors/rest/index.ts';
import { createTrpcDoor } from './doors/trpc/index.ts';
import { createGateway, defaultLimits, type Gateway } from './gateway/index.ts';
import {
  createAddress,
  createLimits,
  createOriginGuard,
  createServer,
  readUnreadBodies,
  serveHealth,
  serveNotFound,
  serveStatic,
  watchIdleSockets,
  watchRoutes,
  type HttpRoute,
} from './http/index.ts';
import { createLog, type Logger } from './log.ts';
import { startSweep } from './sweep.ts';
import { withTheirCalls } from './take-back.ts';

/** The panel and the packed daemon, as seen from `src` and from `dist` alike. */
const panelDir = fileURLToPath(new URL('../../web/dist', import.meta.url));
const daemonFile = fileURLToPath(new URL('../../daemon/dist/daemon.tgz', import.meta.url));

/** A write of 512 KiB, escaped, and what goes around it. */
const trpcBodyLimit = 4 * 1024 * 1024;
/** How long `close` waits for requests that are still being answered. */
const drainMs = 4_000;
const sweepEveryMs = 50;

interface AppNeeds {
  config: Config;
  clock: Clock;
  /** Takes one scrubbed line of log. */
  writeLog(line: string): void;
  /** Names and connections outside of this server; the system's own where it is left away. */
  outside?: Outside;
}

export interface App {
  log: Logger;
  /** The core behind the doors. */
  gateway: Gateway;
  /** Opens the port; gives the origin under which the server is reached. Throws when the port is taken. */
  listen(): Promise<string>;
  /** The port that is open; 0 before `listen`. */
  port(): number;
  /** Every way in over HTTP. */
  routes(): readonly HttpRoute[];
  /** The link that makes the owner account, while there is none. */
  setupLink(): Promise<string | null>;
  /** Sends daemons away to come back later, answers what is under way within 4 s, and lets everything go. */
  close(): Promise<void>;
}

/** The store with its accounts and access tokens, without a door: what a command needs beside a running server. */
export const openAccounts = async ({ config, clock, writeLog, outside = systemOutside }: AppNeeds) => {
  const secret = readSecret(config.dataDir);
  const setupToken = config.setupToken ?? `setup_${nanoid(32)}`;
  const secrets = [secret, setupToken, ...(config.gatewayApiKey === undefined ? [] : [config.gatewayApiKey])];
  const log = createLog({ level: config.logLevel, secrets, write: writeLog });
  const onError = (error: unknown) => log.error({ err: error }, 'went wrong inside');
  const address = createAddress(config);
  const { close, ...store } = openDatabase({ url: config.databaseUrl, dataDir: config.dataDir }, clock);
  const { db } = store;
  await migrate(db);
  const auth = await createBetterAuth({ db, dbType: 'sqlite', secret, url: address.url(), log, outside });
  const accounts = await createAccounts({ auth, store, clock, log, setupToken, url: address.url });
  const { access, tokens, clients } = createAccess({ auth, store, clock, url: address.url, onError });
  return { secret, setupToken, log, onError, address, store, auth, accounts, access, tokens, clients, close };
};

/** The whole server, put together. */
export const createApp = async (needs: AppNeeds): Promise<App> => {
  const { config, clock } = needs;
  const opened = await openAccounts(needs);
  const { secret, setupToken, log, onError, address, store, auth, accounts, access, tokens, clients } =
    opened;
  const secure = config.publicUrl?.startsWith('https:') ?? false;
  const gateway = createGateway({
    store,
    clock,
    limits: {
      ...defaultLimits,
      callMaxMs: config.callMaxMs,
      resultMaxBytes: config.resultMaxBytes,
      sessionKeyIdleMs: config.sessionKeyIdleMs,
      keepCallsMs: config.keepCallsMs,
    },
    pairing: {
      gatewayApiKey: config.gatewayApiKey,
      daemonCommand: (token) =>
        config.daemonCommand.replaceAll('{url}', () => address.url()).replaceAll('{token}', () => token),
    },
    module: {
      enabled: false,
      localGateway: config.fallbackDirectory !== null,
      localGatewayFallbackDirectory: config.fallbackDirectory,
    },
    isOwner: async (userId) => userId === (await accounts.ownerId()),
    log,
    onError,
  });
  await gateway.start();

  const app = await createServer({
    log,
    trustProxy: config.trustProxy,
    secure,
    longestAnswerMs: config.callMaxMs,
  });
  readUnreadBodies(app, { clock, maxBytes: 2 * config.resultMaxBytes });
  const routes = watchRoutes(app);
  const limits = await createLimits(app, config.perMinute);
  const closeIdleSockets = watchIdleSockets(app.server);
  const guardOrigin = createOriginGuard(address);

  serveHealth(app, async () => void (await sql`select 1`.execute(store.db)));
  const servePage = await serveStatic(app, { panelDir, daemonFile });
  serveNotFound(app, { limit: limits.notFound, servePage });
  await app.register(
    async (scope) => {
      scope.addHook('onRequest', guardOrigin);
      await scope.register(
        createAuthRoutes({
          auth,
          limits,
          url: address.url,
          checkSessions: accounts.checkSessions,
          userOf: async (cookie) => (await accounts.session(cookie))?.user.id ?? null,
          endGrants: async (userId) => {
            await tokens.revokeAll(userId);
            await clients.revokeAll(userId);
            await gateway.revokeUser(userId);
          },
        }),
      );
    },
    { prefix: '/api/auth' },
  );
  await app.register(
    createOauthRoutes({
      auth,
      limits,
      url: address.url,
      guardOrigin,
      ownsHost: address.ownsHost,
      setRedirects: clients.setRedirects,
      onRegistered: clients.forgetUnconnected,
    }),
    { prefix: '/api/auth/oauth2' },
  );
  await app.register(createMetadataRoutes({ auth, url: address.url }), { prefix: '/.well-known' });
  await app.register(
    createTrpcDoor({
      gateway,
      accounts,
      ...withTheirCalls({ gateway, tokens, clients }),
      limits,
      guardOrigin,
      bodyLimit: trpcBodyLimit,
      streamsPerUser: config.streamsPerUser,
      onError,
    }),
    {
      prefix: '/trpc',
    },
  );
  await app.register(
    createRestDoor({
      gateway,
      access,
      limits,
      clock,
      site: { url: address.url, guard: guardOrigin },
      onError,
    }),
  );
  await app.register(
    createDaemonDoor({
      gateway,
      accounts,
      limits,
      clock,
      guardOrigin,
      allowQueryKey: config.allowQueryKey,
      resultMaxBytes: config.resultMaxBytes,
      streamsPerAddress: config.streamsPerAddress,
    }),
  );

  await app.register(
    createMcpDoor({
      gateway,
      access,
      limits,
      clock,
      settings: { streamsPerUser: config.streamsPerUser, waitMs: config.mcpWaitMs },
      secret,
      site: { url: address.url, guard: guardOrigin },
      onError,
    }),
  );

  const port = () => {
    const bound = app.server.address();
    return typeof bound === 'object' && bound !== null ? bound.port : 0;
  };

  const jobs = [gateway.forgetOld, createForgetExpired({ store, clock, log })];
  let stopSweep = () => Promise.resolve();

  return {
    log,
    gateway,
    port,
    routes,
    listen: async () => {
      await app.listen({ host: config.host, port: config.port });
      address.listening(port());
      stopSweep = startSweep({ clock, jobs, onError });
      return address.url();
    },
    setupLink: async () =>
      (await accounts.setupNeeded()) ? `${address.url()}/setup#token=${setupToken}` : null,
    close: async () => {
      await stopSweep();
      await gateway.stop();
      const giveUp = clock.after(drainMs, () => app.server.closeAllConnections());
      const closing = app.close();
      closeIdleSockets();
      const stopSweeping = clock.every(sweepEveryMs, closeIdleSockets);
      await closing;
      giveUp();
      stopSweeping();
      await opened.close();
    },
  };
};
