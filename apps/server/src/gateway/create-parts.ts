import type { Clock } from '@drawbridge/kit';
import type { Store } from '../db/index.ts';
import { createLocalBus } from './bus.ts';
import { createCallNumbers } from './calls/call-numbers.ts';
import { createCalls, type CallsContext } from './calls/calls.ts';
import { createDaemonCalls } from './calls/daemon-calls.ts';
import { createLiveOutputs } from './calls/live-outputs.ts';
import { createTurnEvents } from './calls/turn-events.ts';
import { createSharedOutputs } from './calls/shared-outputs.ts';
import { createOpenCalls } from './calls/runner/open-calls.ts';
import { createPastCalls } from './calls/past-calls.ts';
import { createRecaps } from './manage/recap.ts';
import { publishCallState, type CallRecord } from './calls/call.ts';
import { createClientMessages } from './client-messages/client-messages.ts';
import type { NewConfirmation } from './calls/store/confirmation-row.ts';
import { createConfirmations, publishAsked, publishConfirmation } from './confirmations/confirmations.ts';
import { createLoneServer, type ThisServer } from './cluster/this-server.ts';
import { createConnections } from './connection/connections.ts';
import { endSessions } from './connection/end-sessions.ts';
import { createDaemonSession } from './daemon/daemon-session.ts';
import { createStreams } from './connection/streams.ts';
import { createGatewayStores } from './gateway.store.ts';
import { createIdempotency } from './idempotency/idempotency.ts';
import { createStoringBudget } from './calls/storing-budget.ts';
import type { GatewayLimits } from './limits.ts';
import { createMachines } from './manage/machines.ts';
import { createRegistry } from './machines/registry.ts';
import { createKeys } from './pairing/keys.ts';
import { createPairing, type PairingFacts } from './pairing/pairing.ts';
import { createRetention } from './retention/retention.ts';
import { writeQueriesOfOthers } from './connection/queries.ts';
import { createProcesses } from './processes/processes.ts';
import { createRuntimes } from './runtimes/runtimes.ts';
import { createRules } from './rules/rules.ts';
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

/** What every part works with. */
const createBase = (needs: GatewayNeeds) => {
  const { store, limits, isOwner, onError } = needs;
  const server = needs.server ?? createLoneServer(needs.clock, createLocalBus(onError));
  const { clock, bus } = server;
  const openLimits = bus.pollMs === null ? null : limits;
  const stores = createGatewayStores(store, clock, openLimits);
  const { othersChanged } = store;
  return {
    common: { clock, limits, bus, server, onError },
    stores,
    streams: createStreams(server.isLive),
    registry: createRegistry({ store: stores.machines, isOwner, othersChanged, server }),
    keys: createKeys({ clock, limits, store: stores.keys, ...needs.pairing }),
    liveOutputs: createLiveOutputs(limits),
    callNumbers: createCallNumbers(),
  };
};

type Base = ReturnType<typeof createBase>;

/** What follows from changes of calls. */
const publishChanges = (
  needs: GatewayNeeds,
  { common, stores, registry, liveOutputs, callNumbers }: Base,
) => ({
  onChanged: (record: CallRecord) => {
    callNumbers.changed(record);
    if (record.endedAt !== null) liveOutputs.drop(record);
    publishCallState(common.bus, record);
  },
  onAsked: (record: CallRecord, confirmation: NewConfirmation) => {
    publishAsked(common.bus, record, confirmation);
    const { userId, machineId } = record;
    const { id: confirmationId, expiresAt } = confirmation;
    const machine = registry.loaded(machineId)?.info.name ?? '';
    needs.onAsked?.({ userId, confirmationId, machine, expiresAt });
  },
  onConfirmationClosed: (confirmationId: string) =>
    void publishConfirmation({ store: stores.confirmations, ...common }, confirmationId),
});

/** Streams, and the calls that go over them. */
const createMoving = (needs: GatewayNeeds, base: Base) => {
  const { common, stores, streams, registry, keys } = base;
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
    refreshMachine: connections.refresh,
    ...publishChanges(needs, base),
  });
  connections.onChange(openCalls.machineChanged);
  const end = (scope: Scope) => endSessions({ registry, keys, connections }, scope);
  const settings = createSettings({
    store: stores.switches,
    facts: needs.module,
    isOwner: needs.isOwner,
    bus: common.bus,
    onDisabled: end,
  });
  return { ...base, connections, openCalls, end, settings };
};

type Moving = ReturnType<typeof createMoving>;

/** What people and programs ask of the gateway. */
const createFront = (needs: GatewayNeeds, moving: Moving) => {
  const { common, stores, streams, registry, openCalls, settings, liveOutputs } = moving;
  const { clock, limits, bus } = common;
  const callsContext: CallsContext = {
    ...common,
    store: stores.calls,
    sharedCalls: stores.sharedCalls,
    registry,
    settings,
    openCalls,
    confirmations: stores.confirmations,
    liveOutputs,
    turnEvents: createTurnEvents(),
    budget: createStoringBudget({ clock, bytesPerDay: limits.storedBytesPerDay }),
    isDiskLow: needs.isDiskLow ?? (() => false),
  };
  writeQueriesOfOthers({ ...common, streams });
  const outputs = createSharedOutputs(callsContext);
  return {
    calls: createCalls(callsContext, outputs),
    daemonCalls: createDaemonCalls({ ...callsContext, ...outputs }),
    pastCalls: createPastCalls(stores.pastCalls),
    recaps: createRecaps({ clock, store: stores.recaps, confirmations: stores.confirmations }),
    confirmations: createConfirmations({ ...common, store: stores.confirmations, openCalls }),
    idempotency: createIdempotency({
      clock,
      limits,
      store: stores.idempotency,
      isAlone: bus.pollMs === null,
      find: async (requestId) => openCalls.find(requestId)?.data.record ?? stores.calls.byId(requestId),
    }),
    rules: createRules({ ...common, registry, settings, streams, store: stores.machines }),
    processes: createProcesses({ ...common, registry, settings, streams }),
    runtimes: createRuntimes({ ...common, registry, settings, streams }),
  };
};

/** The parts in the order of their needs, each made of the ones before it. */
export const createParts = (needs: GatewayNeeds) => {
  const moving = createMoving(needs, createBase(needs));
  const { common, stores, registry, keys, connections, openCalls, end, settings } = moving;
  const { daemonCalls, ...front } = createFront(needs, moving);
  const { release } = needs.pairing;
  return {
    ...moving,
    ...front,
    daemon: createDaemonSession({
      ...common,
      ...front,
      keys,
      registry,
      connections,
      calls: daemonCalls,
      settings,
      store: stores.machines,
      release,
    }),
    pairing: createPairing({
      ...common,
      facts: needs.pairing,
      keys,
      registry,
      settings,
      removedUsers: stores.removedUsers,
      endSessions: end,
    }),
    machines: createMachines({
      ...common,
      store: stores.manageMachines,
      registry,
      keys,
      connections,
      openCalls,
      release,
    }),
    retention: createRetention({ ...common, stores, registry, log: needs.log }),
    clientMessages: createClientMessages({ ...common, store: stores.clientMessages }),
  };
};

export type GatewayParts = ReturnType<typeof createParts>;
