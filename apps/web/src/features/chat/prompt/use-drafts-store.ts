import type { Attachment } from '@drawbridge/contracts/agent/threads';
import { defineStore } from 'pinia';
import { shallowReactive, watch } from 'vue';
import { drafts } from '../../../api/index.ts';
import { useSessionStore } from '../../session/use-session-store.ts';

/** A text with files, to be sent. */
interface Unsent {
  text: string;
  files: readonly { attachment: Attachment }[];
}
/** What stands in the prompt of a chat. */
export interface Draft extends Unsent {
  /** It is a message of the chat that is changed: when that was sent, and what stood there before. */
  editing: { at: number; before: Unsent } | null;
}
export const emptyDraft: Draft = { text: '', files: [], editing: null };

/** A time and the text that stood there before. */
const parseEditing = (stored: string | null): Draft['editing'] => {
  const [, at, text] = /^(\d+) (.*)$/s.exec(stored ?? '') ?? [];
  return at === undefined || text === undefined ? null : { at: Number(at), before: { text, files: [] } };
};

/** What was typed in each chat and not sent: its texts also after a reload, until the person signs out. */
export const useDraftsStore = defineStore('drafts', () => {
  const session = useSessionStore();
  const all = shallowReactive(new Map<string, Draft>());
  watch(
    () => session.user?.id,
    () => all.clear(),
    { flush: 'sync' },
  );
  const placesOf = (chat: string) => {
    const place = `${session.user?.id} ${chat}`;
    return { text: place, editing: `${place} editing` };
  };
  const read = (chat: string): Draft => {
    if (session.user === null) return emptyDraft;
    const places = placesOf(chat);
    const editing = parseEditing(drafts.read(places.editing));
    return { text: drafts.read(places.text) ?? '', files: [], editing };
  };
  const of = (chat: string): Draft => all.get(chat) ?? read(chat);
  const change = (chat: string, next: Partial<Draft>) => {
    const draft = { ...of(chat), ...next };
    all.set(chat, draft);
    if (session.user === null) return;
    const places = placesOf(chat);
    const { text, editing } = draft;
    drafts.write(places.text, text || null);
    drafts.write(places.editing, editing && `${editing.at} ${editing.before.text}`);
  };
  const move = (from: string, to: string) => {
    change(to, of(from));
    change(from, emptyDraft);
  };
  return { of, change, move };
});
