import { rpcProtocolVersion } from '@drawbridge/contracts/rpc/protocol';
import { noParams, systemInfo as result } from '@drawbridge/contracts/rpc/system';
import { method } from '../../method.ts';
import { serverVersion } from '../../version.ts';

/** The server, and how many connections it has: all of them for the owner, else the user's own. */
export const systemInfo = method({
  name: 'system.info',
  who: 'any',
  params: noParams,
  result,
}).handle(async ({ clock, startedAt, connections }, { connection: { identity } }) => ({
  version: serverVersion,
  uptime: Math.floor((clock.now() - startedAt) / 1_000),
  connections: identity.isOwner ? connections.all().size : connections.ofUser(identity.userId).length,
  protocol: { version: rpcProtocolVersion },
}));
