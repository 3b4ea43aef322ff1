import type { ThisServer } from './cluster/this-server.ts';
import type { OpenCalls } from './calls/runner/open-calls.ts';
import type { Connections } from './connection/connections.ts';
import type { GatewayStores } from './gateway.store.ts';
import type { GatewayLimits } from './limits.ts';
import type { createIdempotency } from './idempotency/idempotency.ts';

interface Needs {
  server: ThisServer;
  limits: GatewayLimits;
  stores: Pick<GatewayStores, 'clientMessages' | 'machines' | 'sharedCalls'>;
  connections: Pick<Connections, 'sweep'>;
  openCalls: Pick<OpenCalls, 'sweep'>;
  idempotency: Pick<ReturnType<typeof createIdempotency>, 'recover'>;
}

/** Callers that waited at a server which is gone: the same call of theirs gets the answer of this one. */
const leaveAnswers = async ({ stores, idempotency }: Needs) => {
  for (const record of await stores.sharedCalls.ofDeadServers()) {
    await idempotency.recover([record]);
    await stores.sharedCalls.forgetMaker(record.requestId);
  }
};

/**
 * Among other servers: one of them takes over what servers that are gone have left. A start changes nothing
 * that belongs to a live server. Returns what ends it.
 */
export const takeOver = async (needs: Needs): Promise<() => void> => {
  const { server, limits, stores, connections, openCalls } = needs;
  // What a server has left that had the store alone.
  await stores.sharedCalls.startLimits();
  await stores.machines.startGraces(server.clock.now() + limits.restartGraceMs);
  return server.onRound(async () => {
    if (!(await server.lease('gateway-sweep'))) return;
    await connections.sweep();
    await leaveAnswers(needs);
    await openCalls.sweep();
    await stores.clientMessages.removeEnded(server.clock.now());
  });
};
