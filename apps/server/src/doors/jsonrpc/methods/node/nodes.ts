import { systemNodes as result, systemLocations, type SystemNode } from '@drawbridge/contracts/rpc/nodes';
import { noParams } from '@drawbridge/contracts/rpc/system';
import { reachOf } from '../../../../callers/index.ts';
import type { CompanionView } from '../../../../nodes/index.ts';
import type { Gateway, MachineRef } from '../../../../gateway/index.ts';
import { method } from '../../method.ts';

const daemonNode = async ({ machines }: Gateway, ref: MachineRef): Promise<SystemNode> => {
  const [{ name, status }, { folder, version, lastSeenAt }] = await Promise.all([
    machines.view(ref),
    machines.known(ref),
  ]);
  const { connected, connectedAt, toolCategories } = status();
  return {
    id: ref.machineId,
    role: 'daemon',
    connected,
    since: connectedAt === null ? null : Date.parse(connectedAt),
    capabilities: toolCategories.filter(({ enabled }) => enabled).map((category) => category.name),
    status: { deviceName: name, directory: folder, appVersion: version, lastSeenAt },
  };
};

const companionNode = (
  { location, push, status, ...node }: CompanionView,
  isPerson: boolean,
): SystemNode => ({
  ...node,
  status,
  ...(isPerson && location && { location }),
  ...(push && { push }),
});

/** The user's machines and companions; locations for a signed-in person alone. */
export const systemNodesMethod = method({
  name: 'system.nodes',
  who: 'any',
  params: noParams,
  result,
}).handle(async ({ gateway, companions }, { connection: { identity } }) => {
  const { userId, kind } = identity;
  const refs = await reachOf(gateway, identity.caller);
  const [daemons, own] = await Promise.all([
    Promise.all(refs.map((ref) => daemonNode(gateway, ref))),
    companions.list(userId),
  ]);
  return { nodes: [...daemons, ...own.map((one) => companionNode(one, kind === 'person'))] };
});

export const systemLocation = method({
  name: 'system.location',
  who: 'person',
  params: noParams,
  result: systemLocations,
}).handle(async ({ companions }, { connection: { identity } }) => ({
  locations: await companions.locations(identity.userId),
}));
