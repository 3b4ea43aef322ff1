import type { Tool } from '@drawbridge/contracts/tool';
import { defineStore } from 'pinia';
import { ref, shallowRef } from 'vue';
import { failureOf, useApi, type Failure } from '../../api/index.ts';

/** What the machine offers. */
export const useToolsStore = defineStore('tools', () => {
  const api = useApi();
  const tools = shallowRef<readonly Tool[] | null>(null);
  const failure = ref<Failure | null>(null);
  let loads = 0;

  const load = async () => {
    loads += 1;
    const mine = loads;
    try {
      const loaded = await api.gateway.tools.query();
      // An older list that comes late is not the newest.
      if (mine !== loads) return;
      tools.value = loaded;
      failure.value = null;
    } catch (error) {
      if (mine === loads) failure.value = failureOf(error);
    }
  };

  return { tools, failure, load };
});
