import { computed, watch } from 'vue';
import { useDraftsStore } from './use-drafts-store.ts';

/** What stands in the prompt of a chat, which is there again when the chat is opened again. */
export const useDraft = (chat: () => string) => {
  const store = useDraftsStore();
  const draft = computed(() => store.of(chat()));
  const text = computed({
    get: () => draft.value.text,
    set: (next: string) => store.change(chat(), { text: next }),
  });
  const files = computed({
    get: () => draft.value.files,
    set: (next) => store.change(chat(), { files: next }),
  });
  // A new chat has a draft of its own from its first message on.
  watch(chat, (now, before) => store.move(before, now));

  /** Takes what stands there out of the prompt, to send it. */
  const take = () => {
    const taken = { message: text.value.trim(), files: files.value };
    store.change(chat(), { text: '', files: [] });
    return taken;
  };
  /** Puts back what was not sent, before what was typed meanwhile. */
  const giveBack = (taken: ReturnType<typeof take>) => {
    const now = store.of(chat());
    store.change(chat(), {
      text: [taken.message, now.text].filter(Boolean).join('\n'),
      files: [...taken.files, ...now.files],
    });
  };
  return { text, files, take, giveBack };
};
