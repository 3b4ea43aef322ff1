import { defineStore } from 'pinia';
import { computed } from 'vue';
import { createLoaded } from '../../api/index.ts';
import { useChatApi } from './chat-api.ts';

/** Whether the built-in agent can be used. */
export const useAgentStore = defineStore('agent', () => {
  const api = useChatApi();
  const { value: status, failure, load } = createLoaded(() => api.status.query());
  return { status, failure, load, enabled: computed(() => status.value?.enabled === true) };
});
