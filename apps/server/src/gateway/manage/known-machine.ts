import type { GatewayStatus, KnownMachine } from '@drawbridge/contracts/gateway';
import type { MachineSummary } from '@drawbridge/contracts/machines/summary';
import { isConnected, type Machine } from '../machines/registry.ts';

const iso = (at: number) => new Date(at).toISOString();

const lastSeenOf = (machine: Machine): string | null => {
  const { lastSeenAt, initAt } = machine.info;
  return isConnected(machine) ? null : iso(lastSeenAt ?? initAt);
};

/** What the panel shows of a machine, connected or away. `hasKey`: one of its session keys is good. */
export const toKnownMachine = (machine: Machine, { hasKey }: { hasKey: boolean }): KnownMachine => {
  const { hostIdentifier, rootPath, daemon, modes } = machine.info;
  return {
    name: hostIdentifier,
    folder: rootPath,
    version: daemon?.version ?? null,
    lastSeenAt: lastSeenOf(machine),
    isPaired: isConnected(machine) || hasKey,
    modes,
    reconnect: daemon?.reconnect ?? null,
  };
};

interface SummaryFacts {
  isDefault: boolean;
  hasKey: boolean;
  status: GatewayStatus;
  latencyMs: number | null;
}

/** The same for the list of machines. */
export const toSummary = (machine: Machine, facts: SummaryFacts): MachineSummary => {
  const { status } = facts;
  const { name: _host, ...known } = toKnownMachine(machine, facts);
  return {
    ...known,
    id: machine.id,
    name: machine.info.name,
    hostIdentifier: machine.info.hostIdentifier,
    isDefault: facts.isDefault,
    state: status.state,
    connectedAt: status.connectedAt,
    pausedAt: machine.info.pausedAt === null ? null : iso(machine.info.pausedAt),
    toolCategories: machine.info.categories,
    toolCount: machine.info.toolList.tools.size,
    latencyMs: facts.latencyMs,
    ...(status.update && { update: status.update }),
    ...(status.problem && { problem: status.problem }),
  };
};
