import type { Confirmation } from '@drawbridge/contracts/confirmation';
import { computed, ref } from 'vue';
import { useConfirmationsStore } from '../confirmations/use-confirmations-store.ts';
import type { InboxEntry } from './inbox-entries.ts';

const membersOf = (entry: InboxEntry): readonly Confirmation[] => {
  if (entry.kind === 'group') return entry.members;
  return entry.kind === 'question' ? [entry.confirmation] : [];
};

/** Questions that are chosen to be denied together. To allow, each is read on its own page. */
export const useSelection = () => {
  const store = useConfirmationsStore();
  const isOn = ref(false);
  const ids = ref<ReadonlySet<string>>(new Set());
  const questions = computed(() => store.open.filter(({ id }) => ids.value.has(id)));

  const isSelectable = (entry: InboxEntry): boolean => {
    const members = membersOf(entry);
    return members.length > 0 && members.every(({ options }) => options.includes('denyOnce'));
  };
  const isSelected = (entry: InboxEntry): boolean =>
    isSelectable(entry) && membersOf(entry).every(({ id }) => ids.value.has(id));
  const toggle = (entry: InboxEntry) => {
    if (!isSelectable(entry)) return;
    const now = new Set(ids.value);
    const isIn = isSelected(entry);
    for (const { id } of membersOf(entry)) {
      if (isIn) now.delete(id);
      else now.add(id);
    }
    ids.value = now;
    isOn.value = true;
  };
  const clear = () => {
    ids.value = new Set();
    isOn.value = false;
  };
  return { isOn, questions, isSelectable, isSelected, toggle, clear };
};

export type Selection = ReturnType<typeof useSelection>;
