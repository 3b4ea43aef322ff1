import { defineStore } from 'pinia';
import { computed, ref } from 'vue';
import { createLoaded } from '../../api/index.ts';
import { useChatApi } from './chat-api.ts';

/** Whether the built-in agent can be used. */
export const useAgentStore = defineStore('agent', () => {
  const api = useChatApi();
  const { value: status, failure, load } = createLoaded(() => api.status.query());
  /** Questions of the open chat that are not the machine's. */
  const asking = ref(0);
  return { status, failure, load, asking, enabled: computed(() => status.value?.enabled === true) };
});
