import { defineStore } from 'pinia';
import { computed } from 'vue';
import { createLoaded, useApi } from '../../../api/index.ts';

/** Whether the server turns recordings into text, and reads answers out. */
export const useVoiceStore = defineStore('voice', () => {
  const api = useApi();
  const { value: status, load } = createLoaded(() => api.voice.status.query());
  return {
    status,
    load,
    understands: computed(() => status.value?.understands === true),
    speaks: computed(() => status.value?.speaks === true),
  };
});
