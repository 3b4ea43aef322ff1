import type { KnownMachine } from '@drawbridge/contracts/gateway';
import { defineStore } from 'pinia';
import { ref, shallowRef } from 'vue';
import { failureOf, useApi, type Failure } from '../../api/index.ts';

/** What is known of the machine, also while it is away: read again after each change of its state. */
export const useKnownStore = defineStore('known-machine', () => {
  const api = useApi();
  const machine = shallowRef<KnownMachine | null>(null);
  const isLoaded = ref(false);
  const failure = ref<Failure | null>(null);
  let loads = 0;

  const load = async () => {
    loads += 1;
    const mine = loads;
    try {
      const loaded = await api.gateway.machine.query();
      // An older answer that comes late is not the newest.
      if (mine !== loads) return;
      machine.value = loaded;
      isLoaded.value = true;
      failure.value = null;
    } catch (error) {
      if (mine === loads) failure.value = failureOf(error);
    }
  };

  return { machine, isLoaded, failure, load };
});
