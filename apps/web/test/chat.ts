import type { StoredEvent } from '@drawbridge/contracts/agent/events';
import { mount, type VueWrapper } from '@vue/test-utils';
import { expect } from 'vitest';
import ChatThread from '../src/features/chat/chat-thread.vue';
import { useSessionStore } from '../src/features/session/use-session-store.ts';
import type { Bench } from './mounting.ts';

/** The event of a message of the person with this text, and the start of its run. */
export const messageEvents = (text: string, at = 1): StoredEvent[] => [
  {
    ...{ type: 'user-message', runId: `run_${at}`, agentId: null, ts: at },
    payload: { messageId: `m${at}`, text, files: [], source: 'sent' },
  },
  {
    ...{ type: 'run-start', runId: `run_${at}`, agentId: 'main', ts: at + 1 },
    payload: { messageId: `m${at}`, kind: 'message' },
  },
];

/** A chat of the signed-in person in a page. */
export const openChat = async (
  { fixture, global }: Bench,
  { threadId = 'th_1', isNew = false }: { threadId?: string; isNew?: boolean } = {},
) => {
  await useSessionStore().load();
  const { opened } = fixture.world.agent;
  const before = opened.length;
  const props = { threadId, isNew };
  const wrapper: VueWrapper = mount(ChatThread, { props, global, attachTo: document.body });
  if (!isNew) await expect.poll(() => opened.length).toBe(before + 1);
  return wrapper;
};
