import type { Thread } from '@drawbridge/contracts/agent/threads';
import { defineStore } from 'pinia';
import { computed, ref, shallowRef } from 'vue';
import { attempt, failureOf, type Failure } from '../../../api/index.ts';
import { useChatApi } from '../chat-api.ts';

/** The user's conversations, last changed first. */
export const useThreadsStore = defineStore('threads', () => {
  const api = useChatApi();
  const known = shallowRef<readonly Thread[] | null>(null);
  const cursor = ref<string | null>(null);
  const failure = ref<Failure | null>(null);

  const put = (threads: readonly Thread[]) => {
    const fresh = new Set(threads.map(({ id }) => id));
    const kept = (known.value ?? []).filter(({ id }) => !fresh.has(id));
    known.value = [...threads, ...kept].sort((a, b) => b.updatedAt.localeCompare(a.updatedAt));
  };

  /** Reads the newest page again; a thread that is gone from it stays until it is removed here. */
  const load = async () => {
    try {
      const page = await api.threads.list.query({});
      if (page.nextCursor === null) known.value = page.threads;
      else put(page.threads);
      cursor.value ??= page.nextCursor;
      failure.value = null;
    } catch (error) {
      failure.value = failureOf(error);
    }
  };

  const loadMore = async () => {
    if (cursor.value === null) return;
    const failed = await attempt(async () => {
      const page = await api.threads.list.query({ cursor: cursor.value ?? '' });
      put(page.threads);
      cursor.value = page.nextCursor;
    });
    failure.value = failed;
  };

  const rename = (threadId: string, title: string) =>
    attempt(async () => put([await api.threads.change.mutate({ threadId, title })]));

  const remove = (threadId: string) =>
    attempt(async () => {
      await api.threads.remove.mutate({ threadId });
      known.value = (known.value ?? []).filter(({ id }) => id !== threadId);
    });

  return {
    threads: computed(() => known.value ?? []),
    loaded: computed(() => known.value !== null),
    cursor,
    failure,
    load,
    loadMore,
    rename,
    remove,
  };
});
