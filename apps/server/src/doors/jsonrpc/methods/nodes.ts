import {
  type SystemNode,
  presenceList,
  presenceParams,
  systemLocations,
  systemNodes,
} from '@drawbridge/contracts/rpc/nodes';
import { noParams } from '@drawbridge/contracts/rpc/system';
import { type Caller, reachOf } from '../../../callers/index.ts';
import { errors } from '../../../errors.ts';
import type { Gateway, MachineRef } from '../../../gateway/index.ts';
import type { CompanionView, KnownSender } from '../../../nodes/index.ts';
import type { RpcContext } from '../context.ts';
import { mayOperate, maySeeLocations } from '../identity.ts';
import { method } from '../method.ts';

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
  isReader: boolean,
): SystemNode => ({
  ...node,
  status,
  ...(isReader && location && { location }),
  ...(push && { push }),
});

/** The user's machines and companions; locations for a signed-in person, or who operates the server. */
export const systemNodesMethod = method('system.nodes', 'any', {
  params: noParams,
  result: systemNodes,
}).handle(async ({ gateway, companions }, { connection: { identity } }) => {
  const { userId } = identity;
  const isReader = maySeeLocations(identity);
  const refs = await reachOf(gateway, identity.caller);
  const [daemons, own] = await Promise.all([
    Promise.all(refs.map((ref) => daemonNode(gateway, ref))),
    companions.list(userId),
  ]);
  return { nodes: [...daemons, ...own.map((one) => companionNode(one, isReader))] };
});

export const systemLocation = method('system.location', 'reader', {
  params: noParams,
  result: systemLocations,
}).handle(async ({ companions }, { connection: { identity } }) => ({
  locations: await companions.locations(identity.userId),
}));

/** Paired senders of chat platforms, and the groups in which the bot answers. */
const channelSenders = async ({ channels }: RpcContext, userId: string): Promise<KnownSender[]> => {
  const [senders, groups] = await Promise.all([channels.senders.list(userId), channels.groups.list(userId)]);
  return [
    ...senders.map(({ kind: channel, senderId, name: senderName, pairedAt, lastSeenAt }) => ({
      ...{ channel, senderId, senderName, isOpen: false },
      firstSeenAt: Date.parse(pairedAt),
      lastSeenAt: Date.parse(lastSeenAt),
    })),
    ...groups
      .filter(({ isOn }) => isOn)
      .map(({ kind: channel, conversation: senderId, title: senderName, seenAt }) => ({
        ...{ channel, senderId, senderName, isOpen: false },
        firstSeenAt: Date.parse(seenAt),
        lastSeenAt: Date.parse(seenAt),
      })),
  ];
};

/** Machines, tokens that were used before the server started, and who writes on chat platforms. */
const knownSenders = async (ctx: RpcContext, caller: Caller): Promise<KnownSender[]> => {
  const { gateway, tokens } = ctx;
  const refs = await reachOf(gateway, caller);
  const machines = await Promise.all(
    refs.map(async (ref): Promise<KnownSender> => {
      const { machineId: senderId } = ref;
      const [{ name: senderName, status }, { lastSeenAt }] = await Promise.all([
        gateway.machines.view(ref),
        gateway.machines.known(ref),
      ]);
      const { connected: isOpen, connectedAt } = status();
      const seen = Date.parse(lastSeenAt ?? connectedAt ?? '') || 0;
      return { channel: 'machine', senderId, senderName, firstSeenAt: seen, lastSeenAt: seen, isOpen };
    }),
  );
  const used = (await tokens.list(caller.userId)).flatMap(
    ({ id: senderId, name: senderName, createdAt, lastUsedAt }): KnownSender[] =>
      lastUsedAt === null
        ? []
        : [
            {
              channel: 'token',
              senderId,
              senderName,
              firstSeenAt: Date.parse(createdAt),
              lastSeenAt: Date.parse(lastUsedAt),
              isOpen: false,
            },
          ],
  );
  return [...machines, ...used, ...(await channelSenders(ctx, caller.userId))];
};

/** Who was seen when, the newest first: the user's own senders, or with `all` everybody's, for the owner. */
export const systemPresence = method('system.presence', 'any', {
  params: presenceParams,
  result: presenceList,
}).handle(async (ctx, { connection: { identity }, params }) => {
  if (!params.all) {
    const known = await knownSenders(ctx, identity.caller);
    return ctx.presence.ofUser(identity.userId, known, params);
  }
  if (!mayOperate(identity))
    throw errors.forbidden({
      message: 'Only the owner of the server may do this',
      fix: 'Use the scope operate.',
    });
  return ctx.presence.ofAll(params);
});
