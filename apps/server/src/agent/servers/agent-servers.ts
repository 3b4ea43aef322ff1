import type { AgentServers, ThreadKey } from '@drawbridge/agent';
import type { Store } from '../../db/index.ts';
import type { ThisServer, ThreadDriver } from '../../gateway/index.ts';
import { toCoded } from '../../http/index.ts';
import { createDriversStore } from './drivers.store.ts';
import { createThreadRelay } from './thread-relay.ts';

export interface DrivingServers extends AgentServers {
  /** By which number this server drives the thread; by none that holds where it does not. */
  driverOf(key: ThreadKey): ThreadDriver;
}

const noFence = -1;

/** This server among those that drive threads of the agent: by rows, and hints over the bus. */
export const createAgentServers = (server: ThisServer, store: Pick<Store, 'db'>): DrivingServers => {
  const drivers = createDriversStore(store);
  const taken = new Map<string, ThreadDriver>();
  const nameOf = ({ userId, threadId }: ThreadKey) => JSON.stringify([userId, threadId]);
  const { bus } = server;
  return {
    here: server.id,
    isLive: server.isLive,
    driverOf: (key) => taken.get(nameOf(key)) ?? { ...key, driverId: server.id(), fence: noFence },
    take: async (key) => {
      const result = await drivers.take(key, server.id());
      if (typeof result === 'object') taken.set(nameOf(key), result);
      return result;
    },
    release: async (driven) => {
      const isReleased = await drivers.release(driven);
      if (isReleased && taken.get(nameOf(driven))?.fence === driven.fence) taken.delete(nameOf(driven));
      return isReleased;
    },
    releaseAll: () => drivers.releaseAll(server.id()),
    driven: async () => {
      // What is taken meanwhile may be missing in the rows.
      const before = [...taken];
      const rows = await drivers.driven(server.id());
      const fences = new Map(rows.map((row) => [nameOf(row), row.fence]));
      for (const [name, driver] of before)
        if (fences.get(name) !== driver.fence && taken.get(name) === driver) taken.delete(name);
      return rows;
    },
    orphans: drivers.orphans,
    lease: server.lease,
    coded: (error) => toCoded(error instanceof Error ? error : new Error(String(error))),
    wake: (driverId, { userId, threadId }: ThreadKey) =>
      bus.publish(`server:${driverId}`, { type: 'thread-woken', userId, threadId }),
    replied: (serverId, commandId) =>
      bus.publish(`server:${serverId}`, { type: 'command-replied', commandId }),
    subscribe: ({ onWoken, onReply, onPartialWanted, onRound, onLost }) => {
      const { stop } = server.subscribe((message) => {
        if (message.type === 'thread-woken') onWoken(message);
        else if (message.type === 'command-replied') onReply(message.commandId);
        else if (message.type === 'partial-wanted') onPartialWanted(message);
      });
      const stops = [stop, server.onRound(onRound), server.onLost(onLost)];
      return () => {
        for (const end of stops) end();
      };
    },
    relay: createThreadRelay(server, drivers),
  };
};
