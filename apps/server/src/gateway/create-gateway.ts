import type { Clock } from '@drawbridge/kit';
import type { Store } from '../db/index.ts';
import { errors } from '../errors.ts';
import { createLocalBus } from './bus.ts';
import { createCalls, type Calls, type CallsContext } from './calls/calls.ts';
import { createDaemonCalls } from './calls/daemon-calls.ts';
import { createLiveOutputs } from './calls/live-outputs.ts';
import { createOpenCalls } from './calls/runner/open-calls.ts';
import { createPastCalls } from './calls/past-calls.ts';
import { publishCallState } from './calls/call.ts';
import { recover } from './calls/runner/recover.ts';
import {
  createConfirmations,
  publishAsked,
  publishConfirmation,
  type Confirmations,
} from './confirmations/confirmations.ts';
import { createLoneServer, type ThisServer } from './cluster/this-server.ts';
import { createConnections } from './connection/connections.ts';
import { endSessions } from './connection/end-sessions.ts';
import { createDaemonSession } from './daemon/daemon-session.ts';
import { createFlapping } from './daemon/flapping.ts';
import { createStreams } from './connection/streams.ts';
import { createGatewayStores } from './gateway.store.ts';
import { createIdempotency, type Idempotency } from './idempotency/idempotency.ts';
import { createStoringBudget } from './calls/storing-budget.ts';
import type { GatewayLimits } from './limits.ts';
import { createMachines } from './manage/machines.ts';
import { createRegistry, isConnected } from './machines/registry.ts';
import { createKeys, touchEveryMs } from './pairing/keys.ts';
import { createPairing, type PairingFacts } from './pairing/pairing.ts';
import { watchRevoked } from './pairing/watch-revoked.ts';
import { createRetention } from './retention/retention.ts';
import { createRules, type Rules } from './rules/rules.ts';
import { createSettings, type ModuleFacts } from './settings/settings.ts';
import type { Scope } from './settings/switches.store.ts';

export interface GatewayLog {
  info(what: object, sentence: string): void;
  error(what: object, sentence: string): void;
}

/** A question to a user, when it is stored. */
export interface AskedQuestion {
  userId: string;
  confirmationId: string;
  /** The name of the machine. */
  machine: string;
  expiresAt: number;
}

export interface GatewayNeeds {
  store: Store;
  clock: Clock;
  limits: GatewayLimits;
  /** This server among those of the store; the only one when left out. */
  server?: ThisServer;
  pairing: PairingFacts;
  module: ModuleFacts;
  isOwner(userId: string): Promise<boolean>;
  /** Called once for each question, on the server that stored it. */
  onAsked?(question: AskedQuestion): void;
  /** Whether the disk of the store is almost full: no new calls. By default it is not. */
  isDiskLow?(): boolean;
  /** For what is not an error of the code: an object of ids, names and numbers, and a sentence. */
  log: GatewayLog;
  onError(error: unknown): void;
}

/** The parts in the order of their needs, each made of the ones before it. */
const createParts = (needs: GatewayNeeds) => {
  const { store, limits, isOwner, onError } = needs;
  const server = needs.server ?? createLoneServer(needs.clock, createLocalBus(onError));
  const { clock, bus } = server;
  const streams = createStreams();
  const stores = createGatewayStores(store, clock);
  const registry = createRegistry({
    store: stores.machines,
    isOwner,
    othersChanged: store.othersChanged,
    bus,
  });
  const keys = createKeys({ clock, limits, store: stores.keys, gatewayApiKey: needs.pairing.gatewayApiKey });
  const onlineHere = () =>
    registry.all().flatMap(({ id, connection }) => (connection.kind === 'online' ? [id] : []));
  const liveOutputs = createLiveOutputs(limits);
  const common = { clock, limits, bus, server, onError };

  const connections = createConnections({
    ...common,
    log: needs.log,
    store: stores.machines,
    streams,
    registry,
  });
  const openCalls = createOpenCalls({
    ...common,
    stores,
    streams,
    machine: registry.loaded,
    machinesHere: onlineHere,
    refreshMachine: connections.refresh,
    onChanged: (record) => {
      if (record.endedAt !== null) liveOutputs.drop(record);
      publishCallState(bus, record);
    },
    onAsked: (record, confirmation) => {
      publishAsked(bus, record, confirmation);
      const { userId, machineId } = record;
      const { id: confirmationId, expiresAt } = confirmation;
      const machine = registry.loaded(machineId)?.info.name ?? '';
      needs.onAsked?.({ userId, confirmationId, machine, expiresAt });
    },
    onConfirmationClosed: (confirmationId) =>
      void publishConfirmation({ store: stores.confirmations, bus, onError }, confirmationId),
  });
  connections.onChange(openCalls.machineChanged);
  const poll = async () => {
    await connections.poll();
    for (const machineId of onlineHere()) openCalls.resendCancellations(machineId).catch(onError);
  };
  const end = (scope: Scope) => endSessions({ registry, keys, connections }, scope);
  const settings = createSettings({
    store: stores.switches,
    facts: needs.module,
    isOwner,
    bus,
    onDisabled: end,
  });
  const confirmations = createConfirmations({ ...common, store: stores.confirmations, openCalls });
  const callsContext: CallsContext = {
    ...common,
    store: stores.calls,
    registry,
    settings,
    openCalls,
    confirmations: stores.confirmations,
    liveOutputs,
    budget: createStoringBudget({ clock, bytesPerDay: limits.storedBytesPerDay }),
    isDiskLow: needs.isDiskLow ?? (() => false),
  };
  const idempotency = createIdempotency({
    clock,
    limits,
    store: stores.idempotency,
    isAlone: bus.pollMs === null,
    find: async (requestId) => openCalls.find(requestId)?.data.record ?? stores.calls.byId(requestId),
  });
  const rules = createRules({ ...common, registry, settings, streams, store: stores.machines });
  const { release } = needs.pairing;
  const daemon = createDaemonSession({
    clock,
    limits,
    bus,
    keys,
    registry,
    connections,
    calls: createDaemonCalls(callsContext),
    rules,
    confirmations,
    settings,
    store: stores.machines,
    flapping: createFlapping({ clock, limits }),
    release,
  });
  const pairing = createPairing({
    clock,
    facts: needs.pairing,
    keys,
    registry,
    settings,
    removedUsers: stores.removedUsers,
    endSessions: end,
  });
  return {
    server,
    poll,
    stores,
    registry,
    keys,
    openCalls,
    connections,
    settings,
    confirmations,
    calls: createCalls(callsContext),
    pastCalls: createPastCalls(stores.pastCalls),
    idempotency,
    rules,
    daemon,
    pairing,
    machines: createMachines({
      clock,
      store: stores.manageMachines,
      registry,
      keys,
      connections,
      openCalls,
      bus,
      release,
    }),
    retention: createRetention({ clock, limits, stores, registry, log: needs.log, onError }),
  };
};

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

/**
 * The core, by noun. All doors meet at `calls.open`. While the server stops, what would change something
 * throws `shuttingDown`.
 */
export const createGateway = (needs: GatewayNeeds) => {
  const { limits, log, onError } = needs;
  const parts = createParts(needs);
  const { stores, registry, keys, openCalls, connections, daemon, server } = parts;
  const { clock } = server;
  /** The half of them that doors use; the other half is for machines, through `daemon`. */
  const front: { calls: Calls; confirmations: Confirmations; idempotency: Idempotency; rules: Rules } = parts;
  let stopped = false;
  const guarded = refusingWhen(() => stopped);

  const touchKeys = () => {
    const online = registry.all().filter((machine) => machine.connection.kind === 'online');
    keys.touchMachines(online.map((machine) => machine.id)).catch(onError);
  };
  const timers: (() => void)[] = [
    watchRevoked({
      clock,
      everyMs: limits.revokedEveryMs,
      othersChanged: needs.store.othersChanged,
      machines: () => registry.all().filter((machine) => isConnected(machine)),
      keys,
      disconnect: (machine) => connections.disconnect(machine, 'user'),
      onError,
    }),
  ];

  return {
    calls: guarded({ ...front.calls, ...parts.pastCalls }, ['open', 'cancel', 'cancelOf']),
    confirmations: guarded(front.confirmations, ['decide']),
    daemon: guarded(daemon, Object.keys(daemon) as (keyof typeof daemon)[]),
    idempotency: guarded(front.idempotency, ['claim', 'consumeNonce']),
    machines: parts.machines,
    pairing: parts.pairing,
    retention: parts.retention,
    rules: guarded(front.rules, ['query']),
    settings: parts.settings,
    /** Resumes what a stopped server left open. Call once, before the doors open. */
    start: async () => {
      timers.push(clock.every(touchEveryMs, touchKeys));
      timers.push(server.onRound(parts.poll));
      const open = await recover({
        clock,
        limits,
        stores,
        registry,
        connections,
        openCalls,
        onUnreadable: (kind, { id, columns }) =>
          log.error({ [kind]: id, columns }, `a ${kind} has unreadable columns`),
        onError,
      });
      await parts.idempotency.recover(open);
    },
    /** Tells every daemon to come back later, closes their streams, cancels timers. */
    stop: async () => {
      stopped = true;
      for (const stopTimer of timers) stopTimer();
      await connections.stop();
      await openCalls.stop();
    },
  };
};

export type Gateway = ReturnType<typeof createGateway>;
