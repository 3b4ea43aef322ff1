import { laneModes } from '@drawbridge/contracts/agent/lanes';
import { nodeRoles } from '@drawbridge/contracts/rpc/nodes';
import { rpcLimits, rpcProtocolVersion } from '@drawbridge/contracts/rpc/protocol';
import { systemHealth } from '@drawbridge/contracts/rpc/ops';
import { noParams, success, systemCapabilities, systemInfo } from '@drawbridge/contracts/rpc/system';
import { healthOf, serverVersion } from '../health.ts';
import { method } from '../method.ts';
import { closeCodes } from '../socket/connection.ts';

/** The server, and how many connections it has: all of them for the owner, else the user's own. */
export const systemInfoMethod = method('system.info', 'any', { params: noParams, result: systemInfo }).handle(
  async ({ clock, startedAt, connections }, { connection: { identity } }) => ({
    version: serverVersion,
    uptime: Math.floor((clock.now() - startedAt) / 1_000),
    connections: identity.isOwner ? connections.all().size : connections.ofUser(identity.userId).length,
    protocol: { version: rpcProtocolVersion },
  }),
);

/** Closes the connection behind the answer; runs that were accepted continue. */
export const systemDisconnect = method('system.disconnect', 'any', {
  params: noParams,
  result: success,
}).handle(async (_ctx, { connection, afterReply }) => {
  afterReply(() => connection.close(closeCodes.normal));
  return { success: true };
});

/** What this server and this connection can do. */
export const systemCapabilitiesMethod = method('system.capabilities', 'any', {
  params: noParams,
  result: systemCapabilities,
}).handle(async (ctx, { connection: { id, identity } }) => {
  const { enabled, location, push } = (await ctx.settings.get()).values.nodes;
  const node = ctx.companions.of(id);
  return {
    protocol: { version: rpcProtocolVersion },
    nodes: {
      enabled,
      locationEnabled: location,
      pushEnabled: push,
      allowedRoles: [...nodeRoles],
      registered: node !== null,
      ...(node && { role: node.role, nodeId: node.id }),
    },
    featureGates: {
      agent: ctx.agent !== undefined,
      'ui.canvas': true,
      notifications: true,
      status: true,
      location,
      push,
      tts: ctx.speech.isOn,
      voice: ctx.hasVoice,
      ...Object.fromEntries((await ctx.channels.list(false)).map(({ kind, isOn }) => [kind, isOn])),
    },
    limits: { ...rpcLimits },
    queueModes: [...laneModes],
    scopes: identity.caller.scopes === 'all' ? 'all' : [...identity.caller.scopes],
  };
});

export const systemHealthMethod = method('system.health', 'any', {
  params: noParams,
  result: systemHealth,
}).handle(async (ctx, { connection: { identity } }) => healthOf(ctx, identity));
