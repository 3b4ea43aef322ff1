import { computed, watch } from 'vue';
import { emptyDraft, useDraftsStore, type Draft } from './use-drafts-store.ts';

/** What stands in the prompt of a chat, which is there again when the chat is opened again. */
export const useDraft = (chat: () => string) => {
  const store = useDraftsStore();
  const now = () => store.of(chat());
  const change = (next: Partial<Draft>) => store.change(chat(), next);
  const editing = computed(() => now().editing);
  const text = computed({ get: () => now().text, set: (next: string) => change({ text: next }) });
  const files = computed({ get: () => now().files, set: (next) => change({ files: next }) });
  // A new chat has a draft of its own from its first message on.
  watch(chat, (after, before) => store.move(before, after));

  /** Begins to change a message; what stood there comes back with its end. */
  const edit = (message: Pick<Draft, 'text' | 'files'> & { at: number }) => {
    const { at, ...unsent } = message;
    change({ ...unsent, editing: { at, before: editing.value?.before ?? now() } });
  };
  const endEditing = () => change({ ...emptyDraft, ...editing.value?.before, editing: null });

  /** Takes what stands there out of the prompt, to send it. */
  const take = (): Draft => {
    const taken = { ...now(), text: text.value.trim() };
    endEditing();
    return taken;
  };
  /** Puts back what was not sent, before what was typed meanwhile. */
  const giveBack = (taken: Draft) => {
    const { text: typed, files: added } = now();
    if (taken.editing) return edit({ ...taken, at: taken.editing.at });
    change({
      text: [taken.text, typed].filter(Boolean).join('\n'),
      files: [...taken.files, ...added],
    });
  };
  return { text, files, editing, edit, endEditing, take, giveBack };
};
