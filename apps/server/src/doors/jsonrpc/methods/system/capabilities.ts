import { laneModes } from '@drawbridge/contracts/agent/lanes';
import { rpcLimits, rpcProtocolVersion } from '@drawbridge/contracts/rpc/protocol';
import { nodeRoles } from '@drawbridge/contracts/rpc/nodes';
import { noParams, systemCapabilities as result } from '@drawbridge/contracts/rpc/system';
import { method } from '../../method.ts';

/** What this server and this connection can do. */
export const systemCapabilities = method({
  name: 'system.capabilities',
  who: 'any',
  params: noParams,
  result,
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
      tts: false,
      voice: false,
      gmail: false,
      teams: false,
    },
    limits: { ...rpcLimits },
    queueModes: [...laneModes],
    scopes: identity.caller.scopes === 'all' ? 'all' : [...identity.caller.scopes],
  };
});
