import type { Attachment } from '@drawbridge/contracts/agent/threads';
import { defineStore } from 'pinia';
import { shallowReactive, watch } from 'vue';
import { drafts } from '../../../api/index.ts';
import { useSessionStore } from '../../session/use-session-store.ts';

/** What stands in the prompt of a chat. */
interface Draft {
  text: string;
  files: readonly { attachment: Attachment }[];
}
const empty: Draft = { text: '', files: [] };

/** What was typed in each chat and not sent: its text also after a reload, until the person signs out. */
export const useDraftsStore = defineStore('drafts', () => {
  const session = useSessionStore();
  const all = shallowReactive(new Map<string, Draft>());
  watch(
    () => session.user?.id,
    () => all.clear(),
    { flush: 'sync' },
  );
  const placeOf = (chat: string): string | null => session.user && `${session.user.id} ${chat}`;
  const of = (chat: string): Draft => {
    const place = placeOf(chat);
    return all.get(chat) ?? { ...empty, text: (place !== null && drafts.read(place)) || '' };
  };
  const change = (chat: string, next: Partial<Draft>) => {
    const place = placeOf(chat);
    const draft = { ...of(chat), ...next };
    all.set(chat, draft);
    if (place !== null) drafts.write(place, draft.text || null);
  };
  const move = (from: string, to: string) => {
    change(to, of(from));
    change(from, empty);
  };
  return { of, change, move };
});
