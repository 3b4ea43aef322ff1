import type { UsageEvent } from '@drawbridge/contracts/agent/credits';
import { defineStore } from 'pinia';
import { createLoaded } from '../../api/index.ts';
import { useChatApi } from '../chat/chat-api.ts';

/** What the agent has used of the user's day. */
export const useUsageStore = defineStore('usage', () => {
  const api = useChatApi();
  const { value: credits, load, set } = createLoaded(() => api.credits.query());
  return { credits, load, onUsage: (event: UsageEvent) => set(event.credits) };
});
