import { machineOf, toolsInScope } from '../../callers/index.ts';
import { threadScopeOf } from './agent/session.ts';
import type { RpcContext } from './context.ts';
import type { Identity } from './identity.ts';

/** The release of the server that clients see. */
export const serverVersion = '0.1.0';

/** The state of the server as a caller may see it; asks no model and no machine. */
export const healthOf = async (
  { gateway, ops, clock, connections, startedAt }: RpcContext,
  identity: Identity,
) => {
  const { caller } = identity;
  const machine = await machineOf(gateway, caller);
  return {
    status: 'ok' as const,
    version: serverVersion,
    uptime: Math.floor((clock.now() - startedAt) / 1_000),
    sessions: await ops.countThreads(threadScopeOf(identity)),
    tools: toolsInScope(machine, caller).length,
    connections: connections.ofUser(caller.userId).length,
    machine: { state: machine?.status().state ?? 'none', name: machine?.name ?? null },
  };
};
