import { computed, type ComputedRef } from 'vue';
import { useThreadsStore } from '../chat/threads/use-threads-store.ts';
import { useConfirmationsStore } from '../confirmations/use-confirmations-store.ts';

/** How many questions are open: of the machines, and of the built-in agent in all chats. */
export const useWaiting = (): ComputedRef<number> => {
  const confirmations = useConfirmationsStore();
  const threads = useThreadsStore();
  return computed(() => {
    const ofThreads = confirmations.open.filter(({ via }) => via?.kind === 'thread').length;
    // A thread counts the machine's questions of its calls as well.
    return confirmations.open.length - ofThreads + Math.max(ofThreads, threads.waiting);
  });
};
