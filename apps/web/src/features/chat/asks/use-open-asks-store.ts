import type { AskAnswer } from '@drawbridge/contracts/agent/asks';
import type { ThreadChange } from '@drawbridge/contracts/agent/threads';
import { defineStore } from 'pinia';
import { computed } from 'vue';
import { attempt, createLoaded } from '../../../api/index.ts';
import { useChatApi } from '../chat-api.ts';

/** The built-in agent's own questions in all chats, oldest first. */
export const useOpenAsksStore = defineStore('open-asks', () => {
  const api = useChatApi();
  const { value, failure, load } = createLoaded(() => api.asks.query());

  /** Resolves to its failure, or to null. */
  const confirm = async (requestId: string, answer: AskAnswer) => {
    const failed = await attempt(() => api.confirm.mutate({ requestId, answer }));
    await load();
    return failed;
  };
  const asks = computed(() => value.value ?? []);
  const onThread = ({ threadId, thread }: ThreadChange) => {
    if ((thread?.waiting ?? 0) > 0 || asks.value.some((ask) => ask.threadId === threadId)) void load();
  };
  return { asks, isLoaded: computed(() => value.value !== null), failure, load, confirm, onThread };
});
