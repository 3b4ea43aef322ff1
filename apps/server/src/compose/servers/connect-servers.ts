import manifest from '../../../package.json' with { type: 'json' };
import type { Clock } from '@drawbridge/kit';
import type { Logger } from 'pino';
import type { RedisBus } from '../../bus/index.ts';
import type { Config } from '../../config.ts';
import type { Store } from '../../db/index.ts';
import { createServersStore, joinServers, type ThisServer } from '../../gateway/index.ts';
import { lockStore } from './lock-store.ts';
import { shareRights } from './share-rights.ts';

/** How long a start waits for Redis; afterwards it goes on without. */
const waitMs = 5_000;

interface Needs {
  config: Pick<Config, 'databaseUrl' | 'redisUrl'>;
  store: Store;
  secret: string;
  clock: Clock;
  log: Logger;
  onError(error: unknown): void;
  /** Closes the store, for a start that fails. */
  close(): Promise<void>;
}

interface CountedBus extends RedisBus {
  /** How often Redis did not answer any more. */
  outages(): number;
}

/** What connects this server to the others of its store. */
export interface Others {
  /** Null where `REDIS_URL` is not set and this server is the only one. */
  bus: CountedBus | null;
  server: ThisServer | null;
  close(): Promise<void>;
}

const openBus = async ({ config, ...needs }: Needs): Promise<CountedBus | null> => {
  const { redisUrl: url } = config;
  if (url === undefined) return null;
  const { log } = needs;
  // Loaded where it is needed: a single server starts without it.
  const { createRedisBus } = await import('../../bus/index.ts');
  let outages = 0;
  const onState = (isUp: boolean, reason: string | null) => {
    if (isUp) log.info('Redis connected: changes at other servers are seen at once');
    else {
      outages += 1;
      log.warn({ reason }, 'Redis does not answer: changes at other servers are seen some seconds later');
    }
  };
  const bus = createRedisBus({ ...needs, url, onState });
  if (!(await bus.waitUntilUp(waitMs))) log.warn('The server starts without Redis, and goes on trying');
  return { ...bus, outages: () => outages };
};

/** Throws `dataFolderInUse` where a server of this store is running that knows of no others, or must not. */
export const connectServers = async (needs: Needs): Promise<Others> => {
  const unlock = await lockStore(needs).catch(async (error: unknown) => {
    await needs.close();
    throw error;
  });
  const bus = await openBus(needs);
  const close = async () => {
    bus?.close();
    await unlock();
  };
  if (bus === null) return { bus, server: null, close };
  shareRights(needs.store, bus);
  const { version } = manifest;
  const server = await joinServers({ ...needs, store: createServersStore(needs.store), bus, version });
  return { bus, server, close };
};
