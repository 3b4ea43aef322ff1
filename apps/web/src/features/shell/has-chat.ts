import { computed, watch } from 'vue';
import { createStored } from '../../api/index.ts';
import { useAgentStore } from '../chat/use-agent-store.ts';

const kept = createStored('drawbridge-has-chat');

/** Whether the menu has the chat: until the server says so, as it was the last time. */
export const useHasChat = () => {
  const agent = useAgentStore();
  const before = kept.read() === 'yes';
  watch(
    () => agent.status,
    (now) => {
      if (now) kept.write(now.enabled ? 'yes' : null);
    },
    { immediate: true },
  );
  return computed(() => (agent.status ? agent.enabled : before));
};
