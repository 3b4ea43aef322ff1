import type { Clock } from '@drawbridge/kit';
import type { Store } from '../db/index.ts';
import { createCallsStore } from './calls/store/calls.store.ts';
import { createPastCallsStore } from './calls/store/past-calls.store.ts';
import { createTransitionsStore } from './calls/store/transitions.store.ts';
import { createConfirmationsStore } from './calls/store/confirmations.store.ts';
import { mapStoreErrors } from './map-errors.store.ts';
import { createKeysStore } from './pairing/keys.store.ts';
import { createManageMachines } from './manage/manage-machines.store.ts';
import { createMachinesStore } from './machines/machines.store.ts';
import { createOldCallsStore } from './retention/old-calls.store.ts';
import { createRemovedUsersStore } from './pairing/removed-users.store.ts';
import { createIdempotencyStore } from './idempotency/idempotency.store.ts';
import { createSwitchesStore } from './settings/switches.store.ts';

/** All that the gateway writes down; each throws `storeUnavailable` if the store is in trouble. */
export const createGatewayStores = (store: Store, clock: Clock) => {
  const { db, commit } = store;
  return {
    calls: mapStoreErrors(createCallsStore(db, commit)),
    pastCalls: mapStoreErrors(createPastCallsStore(db, clock)),
    confirmations: mapStoreErrors(createConfirmationsStore(db)),
    keys: mapStoreErrors(createKeysStore(store)),
    machines: mapStoreErrors(createMachinesStore(store)),
    manageMachines: mapStoreErrors(createManageMachines(db)),
    oldCalls: mapStoreErrors(createOldCallsStore(db, commit)),
    removedUsers: mapStoreErrors(createRemovedUsersStore(db)),
    idempotency: mapStoreErrors(createIdempotencyStore(db)),
    switches: mapStoreErrors(createSwitchesStore(db)),
    transitions: mapStoreErrors(createTransitionsStore(db, commit)),
  };
};

export type GatewayStores = ReturnType<typeof createGatewayStores>;
