import type { Store } from '../db/index.ts';
import { createCallsStore, type CallsStore } from './calls.store.ts';
import { createConfirmationsStore, type ConfirmationsStore } from './confirmations.store.ts';
import { guardedStore } from './guarded-store.ts';
import { createKeysStore, type KeysStore } from './keys.store.ts';
import { createMachinesStore, type MachinesStore } from './machines.store.ts';
import { createOldCallsStore, type OldCallsStore } from './old-calls.store.ts';
import { createRepeatsStore, type RepeatsStore } from './repeats.store.ts';
import { createSwitchesStore, type SwitchesStore } from './switches.store.ts';

/** All that the gateway writes down; each throws `storeUnavailable` where the store is in trouble. */
export interface GatewayStores {
  calls: CallsStore;
  confirmations: ConfirmationsStore;
  keys: KeysStore;
  machines: MachinesStore;
  oldCalls: OldCallsStore;
  repeats: RepeatsStore;
  switches: SwitchesStore;
}

export const createGatewayStores = (store: Store): GatewayStores => {
  const { db, commit } = store;
  return {
    calls: guardedStore(createCallsStore(db, commit)),
    confirmations: guardedStore(createConfirmationsStore(db, commit)),
    keys: guardedStore(createKeysStore(store)),
    machines: guardedStore(createMachinesStore(db, commit)),
    oldCalls: guardedStore(createOldCallsStore(db, commit)),
    repeats: guardedStore(createRepeatsStore(db)),
    switches: guardedStore(createSwitchesStore(db)),
  };
};
