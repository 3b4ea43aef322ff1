import {
  nodeLimits,
  nodeLocation,
  nodeStatus,
  type NodeLocation,
  type NodeRegisterParams,
  type NodeStatus,
} from '@drawbridge/contracts/rpc/nodes';
import { createKeyedQueue } from '@drawbridge/kit';
import { z } from 'zod';
import { errors } from '../errors.ts';
import { serverDeadMs, type ThisServer } from '../gateway/index.ts';
import type { Sealer } from '../secrets/index.ts';
import type { CompanionsStore, StoredCompanion } from './companions.store.ts';

/** The connection that registers a companion. */
export interface NodeConnection {
  /** Unique among all servers. */
  id: string;
  userId: string;
  /** The token or person that opened it; a companion belongs to it alone. */
  principal: string;
  isOpen(): boolean;
  /** Called when another connection of the same principal registers the same node. */
  onReplaced(): void;
}

/** A companion with a connection at this server. */
export interface ConnectedNode {
  nodeId: string;
  /** Differs from that of a companion with the same id of another principal. */
  key: string;
  userId: string;
  connection: NodeConnection;
  declared: string[];
}

/** A companion. Times in milliseconds since 1970. */
export interface Companion extends Pick<ConnectedNode, 'nodeId' | 'key' | 'declared'> {
  isConnected: boolean;
  since: number;
  status: NodeStatus | null;
  location: NodeLocation | null;
}

export interface KnownNodesNeeds {
  store: CompanionsStore;
  server: ThisServer;
  sealer: Sealer;
  onError(error: unknown): void;
}

/** How long the last reports of a companion are kept after its connection was closed. */
const keptMs = 24 * 60 * 60 * 1_000;

const keyOf = (principal: string, nodeId: string): string => JSON.stringify([principal, nodeId]);
const purposeOf = ({ userId, key }: Pick<ConnectedNode, 'userId' | 'key'>) =>
  JSON.stringify(['node-location', userId, key]);
const unregistered = () => errors.badRequest({ message: 'Call node.register first' });

const parsed = <Value>(schema: z.ZodType<Value>, text: string | null): Value | null =>
  text === null ? null : (schema.safeParse(JSON.parse(text)).data ?? null);

/** Reads rows; locations are encrypted in them. */
const createReading = ({ server, sealer }: KnownNodesNeeds) => {
  const isConnected = ({ connectionId, serverId, serverSeenAt }: StoredCompanion) =>
    connectionId !== null &&
    (serverId === server.id() || server.clock.now() - (serverSeenAt ?? 0) < serverDeadMs);
  const locationOf = (row: Pick<StoredCompanion, 'userId' | 'key' | 'sealedLocation'>) =>
    row.sealedLocation === null
      ? null
      : parsed(nodeLocation, sealer.unseal(row.sealedLocation, purposeOf(row)));
  return {
    locationOf,
    /** Nothing for one that was away for too long. */
    read: (row: StoredCompanion): Companion[] => {
      const isOpen = isConnected(row);
      const { nodeId, key, since } = row;
      if (!isOpen && server.clock.now() - row.at > keptMs) return [];
      const declared = parsed(z.array(z.string()), row.declared) ?? [];
      const status = parsed(nodeStatus, row.status);
      return [{ nodeId, key, since, declared, isConnected: isOpen, status, location: locationOf(row) }];
    },
  };
};

/** The connections here that have a companion, and what ends that. */
const createHeld = ({ store, server, onError }: KnownNodesNeeds) => {
  const { bus, clock } = server;
  const held = new Map<string, ConnectedNode>();
  const replaced = (connectionId: string) => {
    const node = held.get(connectionId);
    held.delete(connectionId);
    node?.connection.onReplaced();
  };
  server.subscribe((message) => {
    if (message.type === 'companion-replaced') replaced(message.connectionId);
  });
  /** Others may have taken this server for dead, and have closed its connections in the rows. */
  const reclaim = ({ userId, key, connection: { id } }: ConnectedNode) =>
    store.reclaim({ userId, key }, { connectionId: id, serverId: server.id() });
  server.onRound(async () => {
    if (held.size === 0) return;
    const connected = await store.connected(server.id(), [...held.keys()]);
    for (const [id, node] of [...held])
      if (!connected.has(id) && held.has(id) && !(await reclaim(node))) replaced(id);
  });
  return {
    held,
    replaced,
    /** Another connection has registered the node of this one. */
    release: (connectionId: string, serverId: string | null) => {
      if (held.has(connectionId)) replaced(connectionId);
      else if (serverId !== null)
        bus.publish(`server:${serverId}`, { type: 'companion-replaced', connectionId });
    },
    leave: (connectionId: string) => {
      const node = held.get(connectionId);
      held.delete(connectionId);
      if (!node) return Promise.resolve();
      const left = { serverId: null, connectionId: null, at: clock.now() };
      return store.change(node, connectionId, left).then(() => {}, onError);
    },
  };
};

/** Companions as rows, by user, principal and node; those with a connection here by that. */
export const createKnownNodes = (needs: KnownNodesNeeds) => {
  const { store, server, sealer } = needs;
  const { clock } = server;
  const { read, locationOf } = createReading(needs);
  const { held, replaced, release, leave } = createHeld(needs);
  const queue = createKeyedQueue();

  const add = async (
    connection: NodeConnection,
    { nodeId, capabilities }: NodeRegisterParams,
  ): Promise<ConnectedNode> => {
    const { id: connectionId, userId } = connection;
    const key = keyOf(connection.principal, nodeId);
    const now = clock.now();
    await store.closeOfDead(server.id());
    await store.trim(userId, { before: now - keptMs, most: nodeLimits.known - 1 });
    const before = await store.find({ userId, key });
    await leave(connectionId);
    const declared = [...new Set(capabilities)];
    const node: ConnectedNode = { nodeId, key, userId, connection, declared };
    await store.claim({
      userId,
      key,
      nodeId,
      serverId: server.id(),
      connectionId,
      declared: JSON.stringify(declared),
      since: now,
      at: now,
      status: null,
      sealedLocation: null,
    });
    held.set(connectionId, node);
    if (before && before.connectionId !== null && before.connectionId !== connectionId)
      release(before.connectionId, before.serverId);
    return node;
  };

  return {
    leave,
    ofUser: async (userId: string): Promise<Companion[]> => (await store.ofUser(userId)).flatMap(read),
    find: (connectionId: string): ConnectedNode | undefined => held.get(connectionId),
    /** Throws `badRequest` before the connection has registered a node. */
    require: (connectionId: string): ConnectedNode => {
      const node = held.get(connectionId);
      if (!node) throw unregistered();
      return node;
    },
    /** Registers a node; the connection that had it, and the node that the connection had, are released. */
    add: (connection: NodeConnection, params: NodeRegisterParams) =>
      queue.run(connection.userId, () => add(connection, params)),
    /** Throws `badRequest` where another connection has the node. */
    report: async (
      node: ConnectedNode,
      { status, location }: Partial<Pick<Companion, 'status' | 'location'>>,
    ) => {
      const { id } = node.connection;
      const isStored = await store.change(node, id, {
        at: clock.now(),
        ...(status && { status: JSON.stringify(status) }),
        ...(location && { sealedLocation: sealer.seal(JSON.stringify(location), purposeOf(node)) }),
      });
      if (isStored) return;
      replaced(id);
      throw unregistered();
    },
    locationOf: async (node: ConnectedNode): Promise<NodeLocation | null> => {
      const row = await store.find(node);
      return row ? locationOf(row) : null;
    },
    /** Deletes what was kept for long enough. */
    forgetOld: () => store.forget(clock.now() - keptMs),
  };
};

export type KnownNodes = ReturnType<typeof createKnownNodes>;
