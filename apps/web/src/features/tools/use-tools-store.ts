import type { StateChanged, Tool } from '@drawbridge/contracts';
import { defineStore } from 'pinia';
import { ref, shallowRef } from 'vue';
import { failureOf, useApi, type Failure } from '../../api/index.ts';

/** What the machine offers. */
export const useToolsStore = defineStore('tools', () => {
  const api = useApi();
  const tools = shallowRef<readonly Tool[] | null>(null);
  const failure = ref<Failure | null>(null);
  let shownFor = '';

  const load = async () => {
    try {
      tools.value = await api.gateway.tools.query();
      failure.value = null;
    } catch (error) {
      failure.value = failureOf(error);
    }
  };

  /** Another connection may bring other tools. */
  const onState = ({ payload }: StateChanged) => {
    const key = `${payload.connected} ${payload.connectedAt}`;
    if (key === shownFor) return;
    shownFor = key;
    void load();
  };

  return { tools, failure, load, onState };
});
