import type { CallEvent, Confirmation, ConfirmationEvent } from '@drawbridge/contracts';
import { createEmitter, type Clock } from '@drawbridge/kit';
import type { Store } from '../db/index.ts';
import { errors } from '../errors.ts';
import { toSummary, type CallRecord } from './call-record.ts';
import { createCalls } from './calls.ts';
import { createConfirmations } from './confirmations.ts';
import { createConnections } from './connections.ts';
import { createDaemonSide } from './daemon-side.ts';
import { createGatewayStores } from './gateway.store.ts';
import { createFlapping } from './flapping.ts';
import { createForgetOld } from './forget-old.ts';
import type { Gateway } from './gateway.ts';
import { touchEveryMs } from './key-lifecycle.ts';
import { createKeys } from './keys.ts';
import type { GatewayLimits } from './limits.ts';
import { createLiveOutputs } from './live-outputs.ts';
import { createOpenCalls } from './open-calls.ts';
import { createLocalPort } from './port.ts';
import { createRegistry, isConnected, toStatus } from './registry.ts';
import { createRepeats } from './repeats.ts';
import { createRules } from './rules.ts';
import { createSettings, type ModuleFacts } from './settings.ts';
import { createStateWatch } from './state-watch.ts';
import type { Scope } from './switches.store.ts';
import { createStopAgain } from './stop-again.ts';
import { takeUp } from './take-up.ts';

/** How machines are paired. */
export interface Pairing {
  /** `GATEWAY_API_KEY`; undefined switches it off. */
  gatewayApiKey: string | undefined;
  /** The command that a person pastes on their machine. */
  daemonCommand(token: string): string;
}

export interface GatewayLog {
  info(what: object, sentence: string): void;
  error(what: object, sentence: string): void;
}

export interface GatewayNeeds {
  store: Store;
  clock: Clock;
  limits: GatewayLimits;
  pairing: Pairing;
  module: ModuleFacts;
  isOwner(userId: string): Promise<boolean>;
  /** Takes what is not an error of the code: an object of ids, names and numbers, and a sentence. */
  log: GatewayLog;
  onError(error: unknown): void;
}

/** Makes the core. Call `start` before the doors open. */
export const createGateway = (needs: GatewayNeeds): Gateway => {
  const { store, clock, limits, pairing, isOwner, log, onError } = needs;
  const port = createLocalPort(onError);
  const callEvents = createEmitter<CallEvent>(onError);
  const confirmationEvents = createEmitter<ConfirmationEvent>(onError);

  const stores = createGatewayStores(store);
  const registry = createRegistry({ store: stores.machines, isOwner });
  const keys = createKeys({
    clock,
    limits,
    store: stores.keys,
    gatewayApiKey: pairing.gatewayApiKey,
  });
  const connections = createConnections({ clock, limits, store: stores.machines, port, onError });

  const liveOutputs = createLiveOutputs(limits);

  const callChanged = (record: CallRecord) => {
    if (record.endedAt !== null) liveOutputs.drop(record);
    if (callEvents.count(record.userId) > 0)
      callEvents.emit(record.userId, { type: 'call', call: toSummary(record) });
  };
  const tellConfirmation = (userId: string, confirmation: Confirmation) =>
    confirmationEvents.emit(userId, { type: 'confirmation', confirmation });
  const readAndTell = async (confirmationId: string) => {
    const stored = await stores.confirmations.byId(confirmationId);
    if (stored) tellConfirmation(stored.userId, stored.shown);
  };
  const confirmationChanged = (confirmationId: string) => void readAndTell(confirmationId).catch(onError);

  const openCalls = createOpenCalls({
    clock,
    limits,
    store: stores.calls,
    port,
    machine: registry.held,
    onChanged: callChanged,
    onConfirmationClosed: confirmationChanged,
    onError,
  });
  const stopTellingAgain = createStopAgain({
    clock,
    limits,
    store: stores.calls,
    port,
    machine: registry.held,
    onError,
  });
  const confirmations = createConfirmations({
    clock,
    limits,
    store: stores.confirmations,
    openCalls,
    onAsked: tellConfirmation,
    onChanged: confirmationChanged,
  });
  const calls = createCalls({
    clock,
    limits,
    store: stores.calls,
    openCalls,
    confirmations,
    onProgress: (record, body) => {
      const { event, ...has } = liveOutputs.take(record, body);
      callEvents.emit(record.userId, event);
      return { ok: true, ...has };
    },
    onError,
  });

  const repeats = createRepeats({
    clock,
    limits,
    store: stores.repeats,
    find: async (requestId) => openCalls.find(requestId)?.record ?? stores.calls.byId(requestId),
    machineIdOf: async (userId, machineId) => (await registry.used(userId, machineId))?.id ?? null,
  });

  const rules = createRules({ clock, limits, registry, port });

  const endSessions = async (scope: Scope) => {
    const machines = scope.kind === 'all' ? registry.all() : await registry.ofUser(scope.userId);
    if (scope.kind === 'all') await keys.revokeAll();
    else await keys.revokeUser(scope.userId);
    for (const machine of machines) connections.disconnect(machine, 'user');
  };
  const settings = createSettings({
    store: stores.switches,
    facts: needs.module,
    isOwner,
    port,
    onDisabled: endSessions,
  });

  const status = async (userId: string) => toStatus(await registry.used(userId));
  const touchKeys = () => {
    const online = registry.all().filter((machine) => machine.connection.kind === 'online');
    keys.touchMachines(online.map((machine) => machine.id)).catch(onError);
  };
  let stopTouching = () => {};
  let stopped = false;
  /** While the server stops, nothing is taken that could not be kept: whoever asks must come back. */
  const whileRunning =
    <Given extends unknown[], Result>(run: (...given: Given) => Promise<Result>) =>
    async (...given: Given): Promise<Result> => {
      if (stopped) throw errors.shuttingDown();
      return run(...given);
    };
  const daemon = createDaemonSide({
    clock,
    keys,
    registry,
    connections,
    calls,
    rules,
    settings,
    store: stores.machines,
    flapping: createFlapping({ clock, limits }),
  });

  return {
    call: whileRunning(async (userId, toolCall, options) => {
      await settings.requireEnabled(userId);
      return calls.run(
        { userId, machine: await registry.connected(userId, options.machineId) },
        toolCall,
        options,
      );
    }),
    repeats: {
      claim: whileRunning(repeats.claim),
      none: repeats.none,
      unread: repeats.unread,
      read: repeats.read,
      spend: whileRunning(repeats.spend),
    },
    daemon: {
      init: whileRunning(daemon.init),
      setTools: whileRunning(daemon.setTools),
      openStream: whileRunning(daemon.openStream),
      userOf: whileRunning(daemon.userOf),
      respond: whileRunning(daemon.respond),
      respondAll: whileRunning(daemon.respondAll),
      progress: whileRunning(daemon.progress),
      probe: whileRunning(daemon.probe),
      rules: whileRunning(daemon.rules),
      disconnect: whileRunning(daemon.disconnect),
    },
    createLink: async (userId) => {
      await settings.requireEnabled(userId);
      const { token, expiresAt } = await keys.issue(userId);
      return {
        token,
        command: pairing.daemonCommand(token),
        expiresAt: expiresAt === null ? null : new Date(expiresAt).toISOString(),
        ttlSeconds: expiresAt === null ? null : Math.max(0, Math.floor((expiresAt - clock.now()) / 1_000)),
      };
    },
    status,
    tools: async (userId) => {
      const machine = await registry.used(userId);
      return isConnected(machine) ? [...machine.info.toolList.tools.values()] : [];
    },
    machine: async (userId, machineId) => {
      const machine = await registry.used(userId, machineId);
      if (!machine) return null;
      const { tools, digest } = machine.info.toolList;
      return { machineId: machine.id, status: () => toStatus(machine), tools, digest };
    },
    disconnect: async (userId) => {
      const machine = await registry.used(userId);
      if (!machine) return;
      await keys.revokeMachine(machine);
      connections.disconnect(machine, 'user');
    },
    onStateChanged: createStateWatch({ port, registry, onError }),
    getCall: calls.get,
    listCalls: calls.list,
    cancelCall: whileRunning(calls.cancel),
    cancelCallsOf: whileRunning(calls.cancelOf),
    onCallChanged: callEvents.on,
    liveOutputs: liveOutputs.of,
    getConfirmation: confirmations.get,
    listConfirmations: confirmations.list,
    decide: whileRunning(confirmations.decide),
    onConfirmationChanged: confirmationEvents.on,
    rules: whileRunning(async (userId, query) => {
      await settings.requireEnabled(userId);
      return rules.ask(userId, query);
    }),
    getSettings: settings.get,
    updateSettings: settings.update,
    revokeUser: (userId) => endSessions({ kind: 'user', userId }),
    start: async () => {
      stopTouching = clock.every(touchEveryMs, touchKeys);
      const open = await takeUp({
        clock,
        limits,
        stores,
        registry,
        connections,
        openCalls,
        onUnreadable: (kind, { id, columns }) =>
          log.error({ [kind]: id, columns }, `a ${kind} could not be read whole`),
        onError,
      });
      await repeats.takeUp(open);
    },
    forgetOld: createForgetOld({ clock, limits, stores, log, onError }),
    stop: async () => {
      stopped = true;
      stopTouching();
      stopTellingAgain();
      await connections.stop();
      await openCalls.stop();
    },
  };
};
