import {
  nodeLimits,
  type NodeLocation,
  type NodeRegisterParams,
  type NodeStatus,
} from '@drawbridge/contracts/rpc/nodes';
import { createBoundedMap, type BoundedMap, type Clock } from '@drawbridge/kit';
import { errors } from '../errors.ts';

/** The connection that registers a companion. */
export interface NodeConnection {
  id: string;
  userId: string;
  /** The token or person that opened it; a companion belongs to it alone. */
  principal: string;
  isOpen(): boolean;
  /** Called when another connection of the same principal registers the same node. */
  onReplaced(): void;
}

/** A companion. Times in milliseconds since 1970. */
export interface Companion {
  nodeId: string;
  /** Differs from that of a companion with the same id of another principal. */
  key: string;
  /** Null once its connection is closed. */
  connection: NodeConnection | null;
  declared: string[];
  since: number;
  /** When it registered, reported, or went away. */
  at: number;
  status: NodeStatus | null;
  location: NodeLocation | null;
}

/** How long the last reports of a companion are kept after its connection was closed. */
const keptMs = 24 * 60 * 60 * 1_000;
const mostUsers = 10_000;

const isAway = ({ connection }: Companion) => connection === null;

const keyOf = (principal: string, nodeId: string): string => JSON.stringify([principal, nodeId]);

/** Companions in memory, by user, principal and node, and by connection. */
export const createKnownNodes = (clock: Clock) => {
  const users = createBoundedMap<string, BoundedMap<string, Companion>>({
    maxEntries: mostUsers,
    isEvictable: (nodes) => [...nodes].every(([, node]) => isAway(node)),
  });
  const byConnection = new Map<string, Companion>();

  /** Those of a user, in the order of their registration. */
  const ofUser = (userId: string): BoundedMap<string, Companion> => {
    const nodes =
      users.get(userId) ??
      createBoundedMap<string, Companion>({ maxEntries: nodeLimits.known, isEvictable: isAway });
    users.set(userId, nodes);
    for (const [key, node] of nodes) if (isAway(node) && clock.now() - node.at > keptMs) nodes.delete(key);
    return nodes;
  };

  const leave = (connectionId: string) => {
    const node = byConnection.get(connectionId);
    if (node) Object.assign(node, { connection: null, at: clock.now() });
    byConnection.delete(connectionId);
  };

  return {
    ofUser,
    leave,
    find: (connectionId: string): Companion | undefined => byConnection.get(connectionId),
    /** Throws `badRequest` before the connection has registered a node. */
    require: (connectionId: string): Companion => {
      const node = byConnection.get(connectionId);
      if (!node) throw errors.badRequest({ message: 'Call node.register first' });
      return node;
    },
    /** Registers a node; the connection that had it, and the node that the connection had, are released. */
    add: (connection: NodeConnection, { nodeId, capabilities }: NodeRegisterParams): Companion => {
      const nodes = ofUser(connection.userId);
      const key = keyOf(connection.principal, nodeId);
      const before = nodes.get(key);
      const replaced = before?.connection;
      if (replaced && replaced.id !== connection.id) {
        byConnection.delete(replaced.id);
        replaced.onReplaced();
      }
      leave(connection.id);
      const now = clock.now();
      const node: Companion = {
        nodeId,
        key,
        connection,
        declared: [...new Set(capabilities)],
        since: now,
        at: now,
        status: before?.status ?? null,
        location: before?.location ?? null,
      };
      nodes.set(key, node);
      byConnection.set(connection.id, node);
      return node;
    },
    report: (node: Companion, values: Partial<Pick<Companion, 'status' | 'location'>>) => {
      Object.assign(node, values, { at: clock.now() });
    },
  };
};

export type KnownNodes = ReturnType<typeof createKnownNodes>;
