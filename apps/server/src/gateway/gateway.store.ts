import type { Store } from '../db/index.ts';
import { createCallsStore, type CallsStore } from './calls/store/calls.store.ts';
import { createTransitionsStore, type TransitionsStore } from './calls/store/transitions.store.ts';
import { createConfirmationsStore, type ConfirmationsStore } from './confirmations/confirmations.store.ts';
import { mapStoreErrors } from './map-errors.store.ts';
import { createKeysStore, type KeysStore } from './pairing/keys.store.ts';
import { createMachinesStore, type MachinesStore } from './machines/machines.store.ts';
import { createOldCallsStore, type OldCallsStore } from './retention/old-calls.store.ts';
import { createRemovedUsersStore, type RemovedUsersStore } from './retention/removed-users.store.ts';
import { createIdempotencyStore, type IdempotencyStore } from './idempotency/idempotency.store.ts';
import { createSwitchesStore, type SwitchesStore } from './settings/switches.store.ts';

/** All that the gateway writes down; each throws `storeUnavailable` if the store is in trouble. */
export interface GatewayStores {
  calls: CallsStore;
  confirmations: ConfirmationsStore;
  keys: KeysStore;
  machines: MachinesStore;
  oldCalls: OldCallsStore;
  removedUsers: RemovedUsersStore;
  idempotency: IdempotencyStore;
  switches: SwitchesStore;
  transitions: TransitionsStore;
}

export const createGatewayStores = (store: Store): GatewayStores => {
  const { db, commit } = store;
  return {
    calls: mapStoreErrors(createCallsStore(db, commit)),
    confirmations: mapStoreErrors(createConfirmationsStore(db)),
    keys: mapStoreErrors(createKeysStore(store)),
    machines: mapStoreErrors(createMachinesStore(store)),
    oldCalls: mapStoreErrors(createOldCallsStore(db, commit)),
    removedUsers: mapStoreErrors(createRemovedUsersStore(db)),
    idempotency: mapStoreErrors(createIdempotencyStore(db)),
    switches: mapStoreErrors(createSwitchesStore(db)),
    transitions: mapStoreErrors(createTransitionsStore(db, commit)),
  };
};
