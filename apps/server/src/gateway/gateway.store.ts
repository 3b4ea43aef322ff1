import type { Clock } from '@drawbridge/kit';
import { createCallsStore } from './calls/store/calls.store.ts';
import { createSharedCallsStore } from './calls/store/shared-calls.store.ts';
import { createPastCallsStore } from './calls/store/past-calls.store.ts';
import type { OpenLimits } from './calls/store/call-write.ts';
import { createTransitionsStore } from './calls/store/transitions.store.ts';
import { createConfirmationsStore } from './calls/store/confirmations.store.ts';
import { createClientMessagesStore } from './client-messages/client-messages.store.ts';
import { createKeysStore } from './pairing/keys.store.ts';
import { createRecapStore } from './manage/recap.store.ts';
import { createManageMachines } from './manage/manage-machines.store.ts';
import { createMachinesStore } from './machines/machines.store.ts';
import { createOldCallsStore } from './retention/old-calls.store.ts';
import { createRemovedUsersStore } from './pairing/removed-users.store.ts';
import { createSwitchesStore } from './settings/switches.store.ts';
import { createOnce, isStoreTrouble, type Store } from '../db/index.ts';
import { errors } from '../errors.ts';

/** The same store, whose functions throw `storeUnavailable` where the store itself is in trouble. */
const mapStoreErrors = <Part extends { [Name in keyof Part]: (...args: never[]) => Promise<unknown> }>(
  store: Part,
): Part => {
  const guard =
    (run: (...args: never[]) => Promise<unknown>) =>
    (...args: never[]) =>
      run(...args).catch((cause: unknown) => {
        throw isStoreTrouble(cause) ? errors.storeUnavailable({ cause }) : cause;
      });
  const functions = Object.entries<(...args: never[]) => Promise<unknown>>(store);
  // Each function keeps its name and its type; only what it throws is another.
  return Object.fromEntries(functions.map(([name, run]) => [name, guard(run)])) as Part;
};

/**
 * All that the gateway writes down; each throws `storeUnavailable` if the store is in trouble. `openLimits`:
 * those that the store counts for several servers.
 */
export const createGatewayStores = (store: Store, clock: Clock, openLimits: OpenLimits | null) => {
  const { db, commit } = store;
  return {
    calls: mapStoreErrors(createCallsStore(db, commit)),
    sharedCalls: mapStoreErrors(createSharedCallsStore(db)),
    pastCalls: mapStoreErrors(createPastCallsStore(db, clock)),
    clientMessages: mapStoreErrors(createClientMessagesStore(db)),
    confirmations: mapStoreErrors(createConfirmationsStore(db)),
    keys: mapStoreErrors(createKeysStore(store)),
    machines: mapStoreErrors(createMachinesStore(store, clock)),
    manageMachines: mapStoreErrors(createManageMachines(store, clock)),
    recaps: mapStoreErrors(createRecapStore(db)),
    oldCalls: mapStoreErrors(createOldCallsStore(db, commit)),
    removedUsers: mapStoreErrors(createRemovedUsersStore(store)),
    idempotency: mapStoreErrors(createOnce(db)),
    switches: mapStoreErrors(createSwitchesStore(store)),
    transitions: mapStoreErrors(createTransitionsStore(db, commit, openLimits)),
  };
};

export type GatewayStores = ReturnType<typeof createGatewayStores>;
