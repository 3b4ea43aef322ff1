import type { AskAnswer, OpenAsk } from '@drawbridge/contracts/agent/asks';
import type { ThreadChange } from '@drawbridge/contracts/agent/threads';
import { defineStore } from 'pinia';
import { computed, shallowRef } from 'vue';
import { attempt, createLoaded, useClock } from '../../../api/index.ts';
import { createClosedNotes, shownMs } from '../../confirmations/closed-notes.ts';
import { useChatApi } from '../chat-api.ts';
import { answerWords } from './answer-words.ts';

/** How many closed ones this window knows. */
const knownClosed = 100;

/** How a question of the agent ended. */
export interface ClosedAsk {
  ask: OpenAsk;
  text: string;
}

/** The built-in agent's own questions in all chats, oldest first, and the last ones that closed. */
export const useOpenAsksStore = defineStore('open-asks', () => {
  const api = useChatApi();
  const { value, failure, load: loadOpen } = createLoaded(() => api.asks.query());
  const { closed, closeAs, dismiss } = createClosedNotes(useClock());
  const over = shallowRef<ReadonlyMap<string, ClosedAsk>>(new Map());
  const answering = new Set<string>();
  const asks = computed(() => value.value ?? []);

  const close = (ask: OpenAsk, how: { text: string; approved: boolean; own: boolean }) => {
    const { requestId: id, createdAt, message: title } = ask;
    over.value = new Map([...over.value].slice(1 - knownClosed)).set(id, { ask, text: how.text });
    closeAs({ id, createdAt, title, ...how }, how.own ? shownMs.own : shownMs.elsewhere);
  };

  const load = async () => {
    const before = asks.value;
    await loadOpen();
    const still = new Set(asks.value.map(({ requestId }) => requestId));
    for (const ask of before)
      if (![still, answering, over.value].some((ids) => ids.has(ask.requestId)))
        close(ask, { text: 'Answered elsewhere, or no longer needed', approved: false, own: false });
  };

  /** Resolves to its failure, or to null. */
  const confirm = async (requestId: string, answer: AskAnswer) => {
    const ask = asks.value.find((one) => one.requestId === requestId);
    answering.add(requestId);
    const failed = await attempt(() => api.confirm.mutate({ requestId, answer }));
    if (failed === null && ask !== undefined) close(ask, { ...answerWords(answer, ask), own: true });
    answering.delete(requestId);
    await load();
    return failed;
  };

  const onThread = ({ threadId, thread }: ThreadChange) => {
    if ((thread?.waiting ?? 0) > 0 || asks.value.some((ask) => ask.threadId === threadId)) void load();
  };
  return {
    asks,
    isLoaded: computed(() => value.value !== null),
    failure,
    load,
    confirm,
    onThread,
    /** Notes about those that have just closed. */
    closed,
    dismiss,
    closedAsk: (requestId: string): ClosedAsk | undefined => over.value.get(requestId),
  };
});
