import { defineStore } from 'pinia';
import { createLoaded, useApi } from '../../api/index.ts';

/** The tools that the machine offers. */
export const useToolsStore = defineStore('tools', () => {
  const api = useApi();
  const { value: tools, failure, load } = createLoaded(() => api.gateway.tools.query());
  return { tools, failure, load };
});
