import { startServers, toServer, type ServerCluster } from '@drawbridge/e2e/cluster';
import { createPerson, owner, setupToken, type Person } from '@drawbridge/e2e/harness';
import type { Stage } from './group.ts';

/** A header that sends a request to the server of that number, from 0, through the balancer as any other. */
export const goesTo = (server: number): Record<string, string> => ({ [toServer]: String(server + 1) });

export interface Cluster extends ServerCluster {
  /** The owner, whose requests go to that server. */
  at(server: number): Person;
}

const count = 3;

/** Three servers behind HAProxy on Postgres and Redis, with an owner at each of them. */
export const startCluster = async (stage: Stage, env: Record<string, string>): Promise<Cluster> => {
  const cluster = await startServers({ count, isRoundRobin: true, env: { LOG_LEVEL: 'info', ...env } });
  stage.whenOver(cluster.stop);
  const people = Array.from({ length: count }, (_item, at) => createPerson(cluster.url, goesTo(at)));
  const at = (server: number) => people[server] ?? createPerson(cluster.url);
  await at(0).api.setup.createOwner.mutate({ setupToken, ...owner });
  await Promise.all([1, 2].map((server) => at(server).signIn(owner)));
  return { ...cluster, at };
};
