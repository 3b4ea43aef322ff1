import { computed } from 'vue';
import { useThreadsStore } from '../chat/threads/use-threads-store.ts';
import { useConfirmationsStore } from '../confirmations/use-confirmations-store.ts';

export const useWaiting = () => {
  const confirmations = useConfirmationsStore();
  const threads = useThreadsStore();

  /** Open questions: of the machine, and of the built-in agent in all chats. */
  const count = computed(() => {
    const ofThreads = confirmations.open.filter(({ via }) => via?.kind === 'thread').length;
    // A thread counts the machine's questions of its calls as well.
    return confirmations.open.length - ofThreads + Math.max(ofThreads, threads.waiting);
  });
  /** The page of the first one. */
  const to = computed(() => {
    const [first] = confirmations.open;
    if (first) return `/confirmations/${first.id}`;
    return `/chat/${threads.threads.find(({ waiting }) => waiting > 0)?.id ?? ''}`;
  });
  return { count, to };
};
