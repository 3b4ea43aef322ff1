import type { Thread, ThreadChange } from '@drawbridge/contracts/agent/threads';
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
  const waiting = ref(0);

  /** Changes that arrived while a page was being read. */
  let missed: ThreadChange[] | null = null;

  const put = (threads: readonly Thread[]) => {
    const fresh = new Set(threads.map(({ id }) => id));
    const kept = (known.value ?? []).filter(({ id }) => !fresh.has(id));
    known.value = [...threads, ...kept].sort((a, b) => b.updatedAt.localeCompare(a.updatedAt));
  };

  const drop = (threadId: string) => {
    known.value = (known.value ?? []).filter(({ id }) => id !== threadId);
  };
  const onThread = (change: ThreadChange) => {
    missed?.push(change);
    waiting.value = change.waiting;
    if (change.thread === null) drop(change.threadId);
    else if (known.value !== null) put([change.thread]);
  };

  /** Reads the newest page; the pages that were read before are dropped. */
  const load = async () => {
    const own: ThreadChange[] = [];
    missed = own;
    try {
      const page = await api.threads.list.query({});
      if (missed !== own) return;
      missed = null;
      known.value = page.threads;
      cursor.value = page.nextCursor;
      waiting.value = page.waiting;
      failure.value = null;
      own.forEach(onThread);
    } catch (error) {
      if (missed === own) missed = null;
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
      drop(threadId);
    });

  const removeAll = () =>
    attempt(async () => {
      await api.threads.removeAll.mutate();
      known.value = [];
      cursor.value = null;
    });

  return {
    threads: computed(() => known.value ?? []),
    /** Questions that wait for the person, in all of them. */
    waiting,
    loaded: computed(() => known.value !== null),
    cursor,
    failure,
    load,
    onThread,
    loadMore,
    rename,
    remove,
    removeAll,
  };
});
