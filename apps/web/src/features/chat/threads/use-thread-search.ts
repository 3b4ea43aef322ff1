import type { Thread } from '@drawbridge/contracts/agent/threads';
import { watchDebounced } from '@vueuse/core';
import { ref, shallowRef, type Ref } from 'vue';
import { failureOf, type Failure } from '../../../api/index.ts';
import { useChatApi } from '../chat-api.ts';

const pauseMs = 200;

/** The chats that the server finds by their title and messages; null without a text. */
export const useThreadSearch = (text: Readonly<Ref<string>>) => {
  const api = useChatApi();
  const found = shallowRef<readonly Thread[] | null>(null);
  const failure = ref<Failure | null>(null);

  const search = async () => {
    const query = text.value.trim();
    failure.value = null;
    if (query === '') {
      found.value = null;
      return;
    }
    try {
      const { threads } = await api.threads.list.query({ query });
      // Only the newest text counts.
      if (query === text.value.trim()) found.value = threads;
    } catch (error) {
      if (query === text.value.trim()) failure.value = failureOf(error);
    }
  };
  watchDebounced(text, search, { debounce: pauseMs });
  return { found, failure };
};
