import type { AskPayload } from '@drawbridge/contracts/agent/asks';
import { computed, type ComputedRef } from 'vue';
import { groupsOf, type Group } from '../../confirmations/group/groups.ts';
import { useConfirmationsStore } from '../../confirmations/use-confirmations-store.ts';
import { useThread } from '../chat-context.ts';

/** Like questions of this chat have one card, in the place of the first; undefined if it stands alone. */
export const useAskGroup = (ask: () => AskPayload | undefined): ComputedRef<Group | undefined> => {
  const { asks } = useThread();
  const store = useConfirmationsStore();
  return computed(() => {
    const id = ask()?.resourceDecision?.confirmationId;
    if (id === undefined) return undefined;
    const ids = new Set(asks.value.map(({ resourceDecision: one }) => one?.confirmationId));
    const ofChat = store.open.filter((one) => ids.has(one.id));
    return groupsOf(ofChat).find((members) => members.some((one) => one.id === id));
  });
};
