import { packedPath } from '@drawbridge/contracts/release';
import type { FastifyRequest } from 'fastify';
import { sql } from 'kysely';
import {
  createAuthRoutes,
  createForgetExpired,
  createMetadataRoutes,
  createOauthRoutes,
} from './auth/index.ts';
import { daemonFile, panelDir } from './built-files.ts';
import { takeFolder, type FolderLock } from './db/index.ts';
import { createDaemonDoor } from './doors/daemon-http/index.ts';
import { createMcpDoor } from './doors/mcp/index.ts';
import { createRestDoor } from './doors/rest/index.ts';
import { createTrpcDoor } from './doors/trpc/index.ts';
import { createGateway, defaultLimits, type Gateway } from './gateway/index.ts';
import {
  createLimits,
  createOriginGuard,
  createServer,
  credentialsOf,
  drainBodies,
  readDaemonPackage,
  serveDaemon,
  serveHealth,
  serveNotFound,
  serveStatic,
  watchIdleSockets,
  watchRoutes,
  type HttpRoute,
} from './http/index.ts';
import { folderInUse } from './folder-in-use.ts';
import type { Logger } from './log.ts';
import { managePeople } from './manage-people.ts';
import { openAccounts, type AppNeeds } from './open-accounts.ts';
import { serverCommand } from './server-command.ts';
import { startSweep, type Sweep } from './sweep.ts';
import { revokingCalls } from './revoke-with-calls.ts';

/** A write of 512 KiB, escaped, and what goes around it. */
const trpcBodyLimit = 4 * 1024 * 1024;
/** How long `close` waits for requests that are still being answered. */
const drainMs = 4_000;
const sweepEveryMs = 50;

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

/** Takes the data folder for this server. Throws `dataFolderInUse`, which names the server that has it. */
const lockFolder = (dataDir: string): FolderLock => {
  const taken = takeFolder(dataDir);
  if (taken.kind === 'taken') return taken.lock;
  throw folderInUse(dataDir, taken.holder);
};

/** The whole server, put together. Throws `dataFolderInUse` while another server has the data folder. */
export const createApp = async (needs: AppNeeds): Promise<App> => {
  const lock = lockFolder(needs.config.dataDir);
  try {
    return await assemble(needs, lock);
  } catch (error) {
    lock.release();
    throw error;
  }
};

const assemble = async (needs: AppNeeds, lock: FolderLock): Promise<App> => {
  const { config, clock } = needs;
  const opened = await openAccounts(needs);
  const { secret, setupToken, log, onError, address, store, auth, accounts, access, tokens, clients } =
    opened;
  const sessionOf = (request: FastifyRequest) => accounts.session(credentialsOf(request));
  const secure = config.publicUrl?.startsWith('https:') ?? false;
  const daemon = await readDaemonPackage(config.daemonFile ?? daemonFile);
  const daemonPath = daemon === null ? '/daemon.tgz' : packedPath(daemon.about);
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
        config.daemonCommand
          .replaceAll('{daemon}', () => address.url() + daemonPath)
          .replaceAll('{url}', () => address.url())
          .replaceAll('{token}', () => token)
          .replaceAll('{flags}', () => (address.isInsecure() ? '--allow-insecure-http' : ''))
          .trimEnd(),
      isInsecure: address.isInsecure,
      ...(daemon !== null && { release: daemon.about }),
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
  let sweep: Sweep | null = null;
  const people = managePeople({ accounts, tokens, clients, gateway, onRemoved: () => sweep?.run() });

  const app = await createServer({
    log,
    trustProxy: config.trustProxy,
    secure,
    longestAnswerMs: config.callMaxMs,
  });
  drainBodies(app, clock);
  const routes = watchRoutes(app);
  const limits = await createLimits(app, { clock, perMinute: config.perMinute });
  const closeIdleSockets = watchIdleSockets(app.server);
  const guardOrigin = createOriginGuard(address);

  serveHealth(app, async () => void (await sql`select 1`.execute(store.db)));
  serveDaemon(app, { daemon, url: address.url });
  const servePage = await serveStatic(app, { panelDir, routes });
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
          proofs: opened.proofs,
          sessionOf,
          endGrants: people.endGrants,
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
      proofs: opened.proofs,
      guardOrigin,
      sessionOf,
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
      clock,
      accounts,
      ...revokingCalls({ gateway, tokens, clients }),
      people,
      serverCommand: serverCommand(),
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

  const jobs = [
    gateway.retention.forgetRemoved,
    gateway.retention.forgetOld,
    createForgetExpired({ store, clock, log }),
  ];

  return {
    log,
    gateway,
    port,
    routes,
    listen: async () => {
      await app.listen({ host: config.host, port: config.port });
      address.listening(port());
      lock.setUrl(address.url());
      sweep = startSweep({ clock, jobs, onError });
      return address.url();
    },
    setupLink: async () =>
      (await accounts.setupNeeded()) ? `${address.url()}/setup#token=${setupToken}` : null,
    close: async () => {
      await sweep?.stop();
      await gateway.stop();
      const giveUp = clock.after(drainMs, () => app.server.closeAllConnections());
      const closing = app.close();
      closeIdleSockets();
      const stopSweeping = clock.every(sweepEveryMs, closeIdleSockets);
      await closing;
      giveUp();
      stopSweeping();
      await opened.close();
      lock.release();
    },
  };
};
