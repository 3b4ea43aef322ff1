import { startRedis } from '../../apps/server/test/redis.ts';
import { startCluster as startPostgres } from '../../tools/postgres/cluster.ts';
import { createProcesses, freePort, startServer, type Processes, type Server } from '../harness/index.ts';
import { startBalancer } from './balancer.ts';

export interface ClusterOptions {
  /** Variables of every server. */
  env?: Record<string, string>;
  /** Whether clients reach the servers in turn. */
  isRoundRobin?: boolean;
}

/** Three built servers on a Postgres and a Redis of their own, behind HAProxy. */
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
  env = {},
  isRoundRobin,
}: ClusterOptions = {}): Promise<ServerCluster> => {
  const processes = createProcesses();
  const [postgres, redis, port] = await Promise.all([startPostgres(), startRedis(), freePort()]);
  const url = `http://127.0.0.1:${port}`;
  const shared = {
    DATABASE_URL: postgres.url,
    REDIS_URL: redis.url,
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
    const servers = [await startServer(processes, shared)];
    servers.push(...(await Promise.all([startServer(processes, shared), startServer(processes, shared)])));
    const hosts = servers.map(({ url }) => new URL(url).host);
    await startBalancer(processes, { port, servers: hosts, ...(isRoundRobin && { isRoundRobin }) });
    return { processes, servers, url, postgres, redis, stop };
  } catch (error) {
    await stop();
    throw error;
  }
};
