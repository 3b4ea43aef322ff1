import { laneModes } from '@drawbridge/contracts/agent/lanes';
import { rpcLimits, rpcProtocolVersion } from '@drawbridge/contracts/rpc/protocol';
import { noParams, systemCapabilities as result } from '@drawbridge/contracts/rpc/system';
import { method } from '../../method.ts';

/** What this server and this connection can do. */
export const systemCapabilities = method({
  name: 'system.capabilities',
  who: 'any',
  params: noParams,
  result,
}).handle(async (ctx, { connection: { identity } }) => ({
  protocol: { version: rpcProtocolVersion },
  nodes: {
    enabled: false,
    locationEnabled: false,
    pushEnabled: false,
    allowedRoles: ['companion'],
    registered: false,
  },
  featureGates: { agent: ctx.agent !== undefined, tts: false, voice: false, gmail: false, teams: false },
  limits: { ...rpcLimits },
  queueModes: [...laneModes],
  scopes: identity.kind === 'person' ? 'all' : identity.access.scopes,
}));
