import {
  nodeGates,
  nodeProtocolVersion,
  nodeRoles,
  type NodeLocation,
  type NodeLocationParams,
  type NodePushParams,
  type NodeRegisterParams,
  type NodeStatus,
  type NodeStatusParams,
} from '@drawbridge/contracts/rpc/nodes';
import type { RuntimeSettings } from '@drawbridge/contracts/rpc/settings';
import { errors } from '../errors.ts';
import {
  createKnownNodes,
  type Companion,
  type ConnectedNode,
  type KnownNodes,
  type KnownNodesNeeds,
  type NodeConnection,
} from './known-nodes.ts';
import type { CompanionsStore } from './companions.store.ts';
import type { NodePush } from './node-push.ts';
import type { PushToken } from './push-tokens.store.ts';

type Gates = RuntimeSettings['nodes'];

/** A companion as its user sees it. Times in milliseconds since 1970. */
export interface CompanionView {
  id: string;
  role: string;
  connected: boolean;
  since: number;
  capabilities: string[];
  status: NodeStatus | null;
  location: NodeLocation | null;
  push: { provider: string; tokenPreview: string } | null;
}

export interface CompanionNeeds extends Omit<KnownNodesNeeds, 'store'> {
  /** Which parts the owner has turned on. */
  gates(): Promise<Gates>;
  push: NodePush;
  companions: CompanionsStore;
}

interface Context extends CompanionNeeds {
  nodes: KnownNodes;
}

const names = { enabled: 'Nodes', location: 'The location of nodes', push: 'Push tokens of nodes' } as const;

const requireGate = async ({ gates }: Context, gate: keyof Gates) => {
  const now = await gates();
  const closed = (['enabled', gate] as const).find((one) => !now[one]);
  if (closed === undefined) return;
  throw errors.notAvailable({
    message: `${names[closed]}: turned off on this server`,
    fix: `The owner turns it on with config.patch: nodes.${closed}.`,
  });
};

const refOf = ({ nodeId }: Pick<Companion, 'nodeId'>) => ({ id: nodeId, role: nodeRoles[0] });

const enabledOf = (declared: readonly string[], gates: Gates): string[] =>
  nodeGates.filter((gate) => declared.includes(gate) && (gate in gates ? gates[gate as keyof Gates] : true));

const describe = async ({ gates }: Context, node: ConnectedNode) => ({
  node: refOf(node),
  protocol: {
    serverVersion: nodeProtocolVersion,
    clientVersion: nodeProtocolVersion,
    negotiatedVersion: nodeProtocolVersion,
  },
  capabilities: { declared: node.declared, enabled: enabledOf(node.declared, await gates()) },
});

const register = async (
  context: Context,
  connection: NodeConnection,
  params: NodeRegisterParams,
): Promise<{ registered: true } & Awaited<ReturnType<typeof describe>>> => {
  await requireGate(context, 'enabled');
  if (!nodeRoles.some((role) => role === params.role))
    throw errors.badRequest({ message: `A node may have the role ${nodeRoles.join(', ')}` });
  if (params.protocolVersion !== nodeProtocolVersion)
    throw errors.badRequest({ message: `This server has version ${nodeProtocolVersion} of the protocol` });
  if (!connection.isOpen()) throw errors.cancelled();
  const node = await context.nodes.add(connection, params);
  return { registered: true, ...(await describe(context, node)) };
};

const setPushToken = async (context: Context, node: ConnectedNode, params: NodePushParams) => {
  await requireGate(context, 'push');
  return { updated: true as const, node: refOf(node), push: await context.push.set(node, params) };
};

const list = async ({ nodes, push, gates }: Context, userId: string): Promise<CompanionView[]> => {
  const now = await gates();
  const tokens = new Map((await push.ofUser(userId)).map((token) => [token.nodeId, token]));
  const pushOf = (token: PushToken | undefined) =>
    token && now.push ? { provider: token.provider, tokenPreview: token.preview } : null;
  return (await nodes.ofUser(userId)).map((node) => ({
    ...refOf(node),
    connected: node.isConnected,
    since: node.since,
    capabilities: enabledOf(node.declared, now),
    status: node.status,
    location: now.location ? node.location : null,
    push: pushOf(tokens.get(node.key)),
  }));
};

/**
 * Companions of users: each belongs to the token or person that registered it, on their last connection.
 * Functions that take the id of a connection throw `badRequest` before `register`, and `notAvailable` for
 * what the owner has turned off.
 */
export const createCompanions = (needs: CompanionNeeds) => {
  const { clock } = needs.server;
  const nodes = createKnownNodes({ ...needs, store: needs.companions });
  const context: Context = { ...needs, nodes };
  return {
    /** Throws `notAvailable` while nodes are off, `badRequest` for another role or protocol. */
    register: (connection: NodeConnection, params: NodeRegisterParams) =>
      register(context, connection, params),
    /** The connection was closed. */
    leave: nodes.leave,
    /** Deletes companions that were away for a day. */
    forgetOld: nodes.forgetOld,
    /** What the connection has registered; null before. */
    of: (connectionId: string) => {
      const node = nodes.find(connectionId);
      return node ? refOf(node) : null;
    },
    capabilities: async (connectionId: string) => describe(context, nodes.require(connectionId)),
    setStatus: async (connectionId: string, params: NodeStatusParams) => {
      const node = nodes.require(connectionId);
      await requireGate(context, 'enabled');
      const status: NodeStatus = { ...params, receivedAt: clock.now() };
      await nodes.report(node, { status });
      return { updated: true as const, node: refOf(node), status };
    },
    setLocation: async (connectionId: string, params: NodeLocationParams) => {
      const node = nodes.require(connectionId);
      await requireGate(context, 'location');
      const location: NodeLocation = { ...params, receivedAt: clock.now() };
      await nodes.report(node, { location });
      return { updated: true as const, node: refOf(node), location };
    },
    location: async (connectionId: string) => {
      const node = nodes.require(connectionId);
      await requireGate(context, 'location');
      return { node: refOf(node), location: await nodes.locationOf(node) };
    },
    setPushToken: async (connectionId: string, params: NodePushParams) =>
      setPushToken(context, nodes.require(connectionId), params),
    /** Those of the user, the newest first. */
    list: (userId: string) => list(context, userId),
    /** Throws `notAvailable` while locations are off. */
    locations: async (userId: string) => {
      await requireGate(context, 'location');
      return (await list(context, userId)).flatMap(({ id, role, location }) =>
        location === null ? [] : [{ node: { id, role }, location }],
      );
    },
  };
};

export type Companions = ReturnType<typeof createCompanions>;
