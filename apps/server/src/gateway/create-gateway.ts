import { envGatewayUserId, type CallEvent, type ConfirmationEvent, type StateChanged } from '@drawbridge/contracts';
import { createEmitter, type Clock } from '@drawbridge/kit';
import type { Kysely } from 'kysely';
import type { Schema } from '../db/index.ts';
import { toSummary, type CallRecord } from './call-record.ts';
import { createCalls } from './calls.ts';
import { createCallsStore } from './calls.store.ts';
import { createConfirmations } from './confirmations.ts';
import { createConfirmationsStore } from './confirmations.store.ts';
import { createConnections } from './connections.ts';
import { createDaemonSide } from './daemon-side.ts';
import type { Gateway } from './gateway.ts';
import { createKeys } from './keys.ts';
import { createKeysStore } from './keys.store.ts';
import type { GatewayLimits } from './limits.ts';
import { createMachinesStore } from './machines.store.ts';
import { createOpenCalls } from './open-calls.ts';
import { createLocalPort } from './port.ts';
import { createRegistry, isConnected, toStatus } from './registry.ts';
import { createSettings, type ModuleFacts } from './settings.ts';
import { createSwitchesStore, type Scope } from './switches.store.ts';
import { takeUp } from './take-up.ts';

/** How machines are paired. */
export interface Pairing {
  /** `GATEWAY_API_KEY`; undefined switches it off. */
  gatewayApiKey: string | undefined;
  /** The command that a person pastes on their machine. */
  daemonCommand(token: string): string;
}

export interface GatewayNeeds {
  db: Kysely<Schema>;
  clock: Clock;
  limits: GatewayLimits;
  pairing: Pairing;
  module: ModuleFacts;
  isOwner(userId: string): Promise<boolean>;
  onError(error: unknown): void;
}

/** Makes the core. Call `start` before the doors open. */
export const createGateway = (needs: GatewayNeeds): Gateway => {
  const { db, clock, limits, pairing, isOwner, onError } = needs;
  const port = createLocalPort(onError);
  const stateEvents = createEmitter<undefined>(onError);
  const callEvents = createEmitter<CallEvent>(onError);
  const confirmationEvents = createEmitter<ConfirmationEvent>(onError);

  const machinesStore = createMachinesStore(db);
  const callsStore = createCallsStore(db);
  const confirmationsStore = createConfirmationsStore(db);
  const registry = createRegistry({ store: machinesStore, isOwner });
  const keys = createKeys({ clock, limits, store: createKeysStore(db), gatewayApiKey: pairing.gatewayApiKey });
  const connections = createConnections({ clock, limits, store: machinesStore, port, onError });

  const callChanged = (record: CallRecord) => {
    if (callEvents.count(record.userId) > 0) callEvents.emit(record.userId, { type: 'call', call: toSummary(record) });
  };
  const tellConfirmation = async (confirmationId: string) => {
    const stored = await confirmationsStore.byId(confirmationId);
    if (stored) confirmationEvents.emit(stored.userId, { type: 'confirmation', confirmation: stored.shown });
  };
  const confirmationChanged = (confirmationId: string) => void tellConfirmation(confirmationId).catch(onError);

  const openCalls = createOpenCalls({
    clock,
    limits,
    store: callsStore,
    port,
    machine: registry.held,
    onChanged: callChanged,
    onConfirmationClosed: confirmationChanged,
    onError,
  });
  const confirmations = createConfirmations({ clock, limits, store: confirmationsStore, openCalls, onChanged: confirmationChanged });
  const calls = createCalls({
    clock,
    limits,
    store: callsStore,
    openCalls,
    confirmations,
    onProgress: (record, body) => callEvents.emit(record.userId, { type: 'progress', requestId: record.requestId, ...body }),
    onError,
  });

  const disable = async (scope: Scope) => {
    const machines = scope.kind === 'all' ? registry.all() : await registry.ofUser(scope.userId);
    if (scope.kind === 'all') await keys.revokeAll();
    else await keys.revokeUser(scope.userId);
    for (const machine of machines) connections.disconnect(machine, 'user');
  };
  const settings = createSettings({ store: createSwitchesStore(db), facts: needs.module, isOwner, onDisabled: disable });

  port.listen((news) => {
    if (news.type === 'state-changed') stateEvents.emit(news.userId, undefined);
  });
  const status = async (userId: string) => toStatus(await registry.used(userId));

  return {
    call: async (userId, toolCall, options) => {
      await settings.requireEnabled(userId);
      return calls.run({ userId, machine: await registry.connected(userId) }, toolCall, options);
    },
    daemon: createDaemonSide({ clock, keys, registry, connections, calls, settings }),
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
    disconnect: async (userId) => {
      const machine = await registry.used(userId);
      if (!machine) return;
      await keys.revokeMachine(machine);
      connections.disconnect(machine, 'user');
    },
    onStateChanged: (userId, listen) => {
      let shown = '';
      const tell = async () => {
        const payload = await status(userId);
        if (JSON.stringify(payload) === shown) return;
        shown = JSON.stringify(payload);
        const event: StateChanged = { type: 'instanceAiGatewayStateChanged', payload };
        listen(event);
      };
      const hear = () => void tell().catch(onError);
      const stops = [...new Set([userId, envGatewayUserId])].map((watched) => stateEvents.on(watched, hear));
      return () => stops.forEach((stop) => stop());
    },
    getCall: calls.get,
    listCalls: calls.list,
    cancelCall: calls.cancel,
    onCallChanged: (userId, listen) => callEvents.on(userId, listen),
    listConfirmations: confirmations.list,
    decide: confirmations.decide,
    onConfirmationChanged: (userId, listen) => confirmationEvents.on(userId, listen),
    getSettings: settings.get,
    updateSettings: settings.update,
    start: () => takeUp({ clock, limits, machinesStore, callsStore, confirmationsStore, registry, connections, openCalls }),
    stop: async () => {
      connections.stop();
      openCalls.stop();
    },
  };
};
