import { join } from 'node:path';
import { createProcesses, startServer } from '../../harness/index.ts';
import { startServers as startCluster } from '../../cluster/cluster.ts';
import type { History } from '../history.ts';
import { sqliteStore, type Store } from '../rows.ts';
import { drainSeconds, keepServer, type KeptServer } from './keep-server.ts';
import { startRelay } from './relay.ts';
import { plantedServer, plants, type PlantName } from './planted.ts';
import { nameOf, postgresFaults, postgresStore, sessionOf } from './shared-store.ts';

/** What several servers share, and what may happen to it. */
export interface Shared {
  redis: { kill(): Promise<void>; start(): Promise<void>; suspend(): void; resume(): void };
  postgres: ReturnType<typeof postgresFaults>;
  /** Nothing passes between a server and that program; the returned function ends it. */
  cut(server: number, from: 'redis' | 'postgres'): () => void;
}

export interface Servers {
  /** Where clients connect. */
  url: string;
  all: readonly KeptServer[];
  store: Store;
  /** Null for one server with a store in a file. */
  shared: Shared | null;
  /** Ends what the servers share, once they have ended. */
  stop(): Promise<void>;
}

interface Needs {
  folder: string;
  /** How many; one has a store in a file. */
  count: number;
  env: Record<string, string>;
  history: History;
  /** The guard that they lack; several servers alone. */
  plant: PlantName | null;
}

const startOne = async ({ folder, env, history }: Needs): Promise<Servers> => {
  const processes = createProcesses();
  const dataDir = join(folder, 'data');
  const server = await startServer(processes, { ...env, DATA_DIR: dataDir });
  const kept = keepServer({ server, name: 'server', history, logFile: join(folder, 'server.log') });
  const store = sqliteStore(join(dataDir, 'drawbridge.db'));
  return { url: server.url, all: [kept], store, shared: null, stop: processes.stopAll };
};

const startSeveral = async ({ folder, count, env, history, plant }: Needs): Promise<Servers> => {
  const relays: Record<'redis' | 'postgres', Awaited<ReturnType<typeof startRelay>>>[] = [];
  const cluster = await startCluster({
    count,
    env: { ...env, DRAIN_SECONDS: String(drainSeconds) },
    isRoundRobin: true,
    ...(plant && { entry: plantedServer(plants[plant]) }),
    between: async (own, server) => {
      const [postgres, redis] = [new URL(own.DATABASE_URL), new URL(own.REDIS_URL)];
      const relay = {
        postgres: await startRelay(Number(postgres.port)),
        redis: await startRelay(Number(redis.port)),
      };
      relays.push(relay);
      postgres.port = String(relay.postgres.port);
      // As long as a server waits where nothing is set.
      postgres.searchParams.delete('connect_timeout');
      postgres.searchParams.set('options', sessionOf(server));
      redis.port = String(relay.redis.port);
      return { DATABASE_URL: postgres.href, REDIS_URL: redis.href };
    },
  });
  const store = postgresStore(cluster.postgres.url);
  await store.record();
  const all = cluster.servers.map((server, at) => {
    const name = nameOf(at);
    return keepServer({ server, name, history, logFile: join(folder, `server-${at}.log`) });
  });
  return {
    url: cluster.url,
    all,
    store,
    shared: {
      redis: cluster.redis,
      postgres: postgresFaults(cluster.postgres.pid),
      cut: (server, from) => {
        const relay = relays[server]?.[from];
        relay?.hold();
        return () => relay?.release();
      },
    },
    stop: async () => {
      await cluster.stop();
      for (const { redis, postgres } of relays) {
        redis.close();
        postgres.close();
      }
    },
  };
};

/** One server with a store in a file, or several on a Postgres and a Redis behind a balancer. */
export const startServers = (needs: Needs): Promise<Servers> =>
  needs.count === 1 ? startOne(needs) : startSeveral(needs);
