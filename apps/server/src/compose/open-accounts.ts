import { dirname } from 'node:path';
import { channelLimits } from '@drawbridge/contracts/outside/channels';
import { rpcLimits } from '@drawbridge/contracts/rpc/protocol';
import type { Clock } from '@drawbridge/kit';
import {
  createAccess,
  createAccounts,
  createBetterAuth,
  createRefreshes,
  createRefreshesStore,
  createSessionProofs,
  createTickets,
  createSingleUse,
  createTicketsStore,
  digestStoredTokens,
  loggingTokens,
  readProofEpoch,
  type Passwords,
} from '../auth/index.ts';
import { agentKeysOf } from '../agent/config-schema.ts';
import type { Config } from '../config.ts';
import {
  createDiskFloor,
  createMetaStore,
  createWriteCheck,
  isPostgresUrl,
  migrate,
  openStore,
  passwordOf,
  sqliteFile,
} from '../db/index.ts';
import { createAddress, logFailure } from '../http/index.ts';
import { createLog, createScrubber } from '../program/log.ts';
import { createLogRing } from '../ops/observe/log-ring.ts';
import { systemNetwork, type Network } from '../outside/index.ts';
import { readSecret } from '../secrets/index.ts';
import { checkSecret, newSetupToken } from './servers/shared-secret.ts';

export interface AppNeeds {
  config: Config;
  clock: Clock;
  /** Writes one scrubbed log line. */
  writeLog(line: string): void;
  /** Name lookup and connections to other hosts; by default those of the system. */
  outside?: Network;
  /** How passwords are hashed; scrypt by default. Tests pass a faster one. */
  passwords?: Passwords;
}

const keysOf = (config: Config): string[] =>
  [
    config.gatewayApiKey,
    config.metricsToken,
    passwordOf(config.databaseUrl),
    passwordOf(config.redisUrl),
    ...agentKeysOf(config),
  ].filter((key) => key !== undefined);

/** Opens the store, accounts and access tokens without a door; commands use it beside a running server. */
export const openAccounts = async (needs: AppNeeds) => {
  const { config, clock, writeLog, outside = systemNetwork, passwords } = needs;
  const secret = config.secret ?? readSecret(config.dataDir);
  const setupToken = config.setupToken ?? newSetupToken(config);
  const scrubber = createScrubber([secret, setupToken, ...keysOf(config)]);
  const logRing = createLogRing();
  const { logLevel: level, logFormat: format } = config;
  const log = createLog({ level, format, scrubber, write: writeLog, keep: logRing.add });
  const onError = (error: unknown) => logFailure(log, error);
  const address = createAddress(config);
  const place = { url: config.databaseUrl, dataDir: config.dataDir };
  const { close, whileMigrating, ...store } = await openStore(place, clock);
  const { db } = store;
  const url = address.url();
  const refreshes = createRefreshes(createRefreshesStore(store));
  const openAuth = async () =>
    whileMigrating(async (migrating) => {
      await migrate(migrating);
      await checkSecret({ config, secret, log, meta: createMetaStore(migrating) });
      const made = { store, migrating, secret, url, log, outside, refreshes, passwords };
      const auth = await createBetterAuth(made);
      await digestStoredTokens(store);
      return auth;
    });
  const auth = await openAuth().catch(async (error: unknown) => {
    await close();
    throw error;
  });
  const proofs = createSessionProofs(secret, readProofEpoch(config));
  const accounts = await createAccounts({ auth, store, clock, log, proofs, setupToken, url: address.url });
  const { access, tokens, clients, ownMachines } = createAccess({
    auth,
    store,
    clock,
    url: address.url,
    proofs,
    isOwner: async (userId) => userId === (await accounts.ownerId()),
    onError,
  });
  const ticketsFor = (purpose: string, ms: number) =>
    createTickets({
      ...{ clock, purpose, ms },
      store: createTicketsStore(store),
      sessionByKey: accounts.sessionByKey,
    });
  return {
    secret,
    setupToken,
    /** Masks further secrets in the log. */
    scrubber,
    log,
    logRing,
    onError,
    address,
    canWrite: createWriteCheck({ clock, log, db }),
    // The disk of Postgres is not this machine's.
    isDiskLow: isPostgresUrl(place.url)
      ? () => false
      : createDiskFloor({
          clock,
          folder: dirname(sqliteFile(place)),
          leastBytes: config.diskFloorBytes,
        }),
    store,
    auth,
    refreshes,
    proofs,
    accounts,
    access,
    tokens: loggingTokens(tokens, log),
    clients,
    ownMachines,
    consentPages: createSingleUse({ clock, store: createTicketsStore(store) }),
    tickets: ticketsFor('socket', rpcLimits.ticketMs),
    /** What a page of consent of another program brings back. */
    consentTickets: ticketsFor('consent', channelLimits.consentMs),
    close,
  };
};

export type OpenAccounts = Awaited<ReturnType<typeof openAccounts>>;
