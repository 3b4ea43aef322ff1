import { errors } from '../errors.ts';
import { countsOf, type GatewayNumbers } from './calls/call-numbers.ts';
import type { Calls } from './calls/calls.ts';
import { recover } from './calls/runner/recover.ts';
import type { Confirmations } from './confirmations/confirmations.ts';
import type { Idempotency } from './idempotency/idempotency.ts';
import { isConnected } from './machines/registry.ts';
import { touchEveryMs } from './pairing/keys.ts';
import { watchRevoked } from './pairing/watch-revoked.ts';
import type { Processes } from './processes/processes.ts';
import type { Runtimes } from './runtimes/runtimes.ts';
import type { Rules } from './rules/rules.ts';
import { takeOver } from './take-over.ts';
import { createParts, type GatewayNeeds, type GatewayParts } from './create-parts.ts';

/**
 * The same part, whose named functions throw `shuttingDown` once the server stops: the caller must come back.
 */
const refusingWhen =
  (stopped: () => boolean) =>
  <Part extends object, Name extends keyof Part>(
    part: Part & Record<Name, (...args: never[]) => Promise<unknown>>,
    names: readonly Name[],
  ): Part => {
    const guarded = names.map((name) => {
      const run = part[name];
      return [
        name,
        async (...args: never[]) => {
          if (stopped()) throw errors.shuttingDown();
          return run(...args);
        },
      ];
    });
    return { ...part, ...Object.fromEntries(guarded) };
  };

/** Resumes what a stopped server left open, or takes its place among the others. */
const begin = async ({ log }: GatewayNeeds, parts: GatewayParts): Promise<() => void> => {
  if (parts.common.bus.pollMs !== null) return takeOver({ ...parts, ...parts.common });
  const open = await recover({
    ...parts,
    ...parts.common,
    onUnreadable: (kind, { id, columns }) =>
      log.error({ [kind]: id, columns }, `a ${kind} has unreadable columns`),
  });
  await parts.idempotency.recover(open);
  return () => {};
};

/** The timers that look after keys. */
const watchKeys = (needs: GatewayNeeds, parts: GatewayParts) => {
  const { common, registry, keys, connections } = parts;
  return watchRevoked({
    ...common,
    everyMs: common.limits.revokedEveryMs,
    othersChanged: needs.store.othersChanged,
    machines: () => registry.all().filter((machine) => isConnected(machine)),
    keys,
    disconnect: (machine) => connections.disconnect(machine, 'user'),
  });
};

/** An open stream is a use of its key. */
const touchKeys = ({ common, registry, keys }: GatewayParts) => {
  const online = registry.all().filter((machine) => machine.connection.kind === 'online');
  keys.touchMachines(online.map((machine) => machine.id)).catch(common.onError);
};

/**
 * The core, by noun. All doors meet at `calls.open`. While the server stops, what would change something
 * throws `shuttingDown`.
 */
export const createGateway = (needs: GatewayNeeds) => {
  const parts = createParts(needs);
  const { openCalls, connections, daemon } = parts;
  const { clock, server } = parts.common;
  /** The half of them that doors use; the other half is for machines, through `daemon`. */
  const front: {
    calls: Calls;
    confirmations: Confirmations;
    idempotency: Idempotency;
    rules: Rules;
    processes: Processes;
    runtimes: Runtimes;
  } = parts;
  let stopped = false;
  const guarded = refusingWhen(() => stopped);
  const timers: (() => void)[] = [watchKeys(needs, parts)];

  return {
    calls: guarded({ ...front.calls, ...parts.pastCalls }, ['open', 'cancel', 'cancelOf']),
    confirmations: guarded(front.confirmations, ['decide']),
    daemon: guarded(daemon, Object.keys(daemon) as (keyof typeof daemon)[]),
    idempotency: guarded(front.idempotency, ['claim', 'consumeNonce']),
    clientMessages: parts.clientMessages,
    recaps: parts.recaps,
    machines: parts.machines,
    pairing: parts.pairing,
    retention: parts.retention,
    rules: guarded(front.rules, ['query']),
    processes: guarded(front.processes, ['query']),
    runtimes: guarded(front.runtimes, ['query']),
    settings: parts.settings,
    /** What this server does at present, and has done since its start. */
    numbers: (): GatewayNumbers => ({
      openCalls: countsOf(openCalls.states()),
      endedCalls: parts.callNumbers.ended(),
      streams: connections.openStreams(),
    }),
    /** Resumes what a stopped server left open. Call once, before the doors open. */
    start: async () => {
      timers.push(clock.every(touchEveryMs, () => touchKeys(parts)));
      timers.push(await begin(needs, parts));
    },
    /** Sends the machines to other servers within that time; calls go on, and their callers wait for them. */
    leaveMachines: connections.leaveAll,
    /** Tells every daemon to come back later, closes their streams, cancels timers. */
    stop: async () => {
      stopped = true;
      for (const stopTimer of timers) stopTimer();
      await connections.stop();
      await openCalls.stop();
      await server.leave();
    },
  };
};

export type Gateway = ReturnType<typeof createGateway>;
