import { defineStore } from 'pinia';
import { computed } from 'vue';
import { createLoaded, useApi } from '../../api/index.ts';

/** The stored data of the machine, also while it is offline; reloaded after each change of its state. */
export const useKnownStore = defineStore('known-machine', () => {
  const api = useApi();
  const { value, failure, load } = createLoaded(async () => ({ machine: await api.gateway.machine.query() }));
  const machine = computed(() => value.value?.machine ?? null);
  const isLoaded = computed(() => value.value !== null);
  return { machine, isLoaded, failure, load };
});
