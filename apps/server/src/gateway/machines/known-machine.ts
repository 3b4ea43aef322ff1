import type { KnownMachine } from '@drawbridge/contracts/gateway';
import { isConnected, type Machine } from './registry.ts';

/** What the panel shows of a machine, connected or away. `hasKey`: one of its session keys is good. */
export const toKnownMachine = (machine: Machine, { hasKey }: { hasKey: boolean }): KnownMachine => {
  const { hostIdentifier, rootPath, daemon, modes, lastSeenAt, initAt } = machine.info;
  const isHere = isConnected(machine);
  return {
    name: hostIdentifier,
    folder: rootPath,
    version: daemon?.version ?? null,
    lastSeenAt: isHere ? null : new Date(lastSeenAt ?? initAt).toISOString(),
    isPaired: isHere || hasKey,
    modes,
    reconnect: daemon?.reconnect ?? null,
  };
};
