import { defineStore } from 'pinia';
import { computed } from 'vue';
import { createLoaded, useApi } from '../../api/index.ts';

/** The user's machines with their names; reloaded after each change of a machine's state. */
export const useMachinesStore = defineStore('machines', () => {
  const api = useApi();
  const { value, failure, load } = createLoaded(() => api.gateway.machines.query());
  const machines = computed(() => value.value ?? []);
  /** The machine that is used where none is named. */
  const standard = computed(() => machines.value.find(({ isDefault }) => isDefault) ?? machines.value[0]);
  const nameOf = (machineId: string): string | null =>
    machines.value.find(({ id }) => id === machineId)?.name ?? null;
  return { machines, isLoaded: computed(() => value.value !== null), standard, nameOf, failure, load };
});
