import { startRedis } from '../../apps/server/test/redis.ts';
import { startCluster as startPostgres } from '../../tools/postgres/cluster.ts';
import { createProcesses, freePort, startServer, type Processes, type Server } from '../harness/index.ts';
import { startBalancer } from './balancer.ts';

/** Where the servers find what they share. */
interface Stores {
  DATABASE_URL: string;
  REDIS_URL: string;
}

export interface ClusterOptions {
  /** Three where it is left out. */
  count?: number;
  /** Variables of every server. */
  env?: Record<string, string>;
  /** Another build of the server. */
  entry?: string;
  /** Puts something between one server and what it shares with the others, and returns where it is. */
  between?(stores: Stores, server: number): Promise<Stores>;
  /** Whether clients reach the servers in turn. */
  isRoundRobin?: boolean;
}

/** Built servers on a Postgres and a Redis of their own, behind HAProxy. */
export interface ServerCluster {
  processes: Processes;
  servers: readonly Server[];
  /** The address of the balancer. */
  url: string;
  postgres: Awaited<ReturnType<typeof startPostgres>>;
  redis: Awaited<ReturnType<typeof startRedis>>;
  stop(): Promise<void>;
}

export const startServers = async ({
  count = 3,
  env = {},
  entry,
  between = (stores) => Promise.resolve(stores),
  isRoundRobin,
}: ClusterOptions = {}): Promise<ServerCluster> => {
  const processes = createProcesses();
  const [postgres, redis, port] = await Promise.all([startPostgres(), startRedis(), freePort()]);
  const url = `http://127.0.0.1:${port}`;
  const stores = { DATABASE_URL: postgres.url, REDIS_URL: redis.url };
  const shared = {
    SECRET: 'the-secret-of-three-servers-in-a-test-0123456789',
    PUBLIC_URL: url,
    TRUST_PROXY: '127.0.0.1',
    ...env,
  };
  const stop = async () => {
    await processes.stopAll();
    await Promise.all([redis.kill(), postgres.stop()]);
  };
  try {
    // The first one makes the tables; the others would only wait for it.
    const own: Stores[] = [];
    while (own.length < count) own.push(await between(stores, own.length));
    const [first, ...others] = own.map((at) => () => startServer(processes, { ...shared, ...at }, [], entry));
    if (!first) throw new Error('no server');
    const servers = [await first(), ...(await Promise.all(others.map((start) => start())))];
    const hosts = servers.map(({ url }) => new URL(url).host);
    await startBalancer(processes, { port, servers: hosts, ...(isRoundRobin && { isRoundRobin }) });
    return { processes, servers, url, postgres, redis, stop };
  } catch (error) {
    await stop();
    throw error;
  }
};
