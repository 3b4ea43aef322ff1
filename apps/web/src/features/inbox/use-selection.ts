import type { Confirmation } from '@drawbridge/contracts/confirmation';
import { computed, ref, shallowRef, type Ref } from 'vue';
import { askerKey } from '../confirmations/group/groups.ts';
import { useConfirmationsStore } from '../confirmations/use-confirmations-store.ts';
import type { InboxEntry } from './inbox-entries.ts';

const membersOf = (entry: InboxEntry): readonly Confirmation[] => {
  if (entry.kind === 'group') return entry.members;
  return entry.kind === 'question' ? [entry.confirmation] : [];
};

/** Of `shown`, questions that are chosen to be denied together. To allow, each is read on its own page. */
export const useSelection = (shown: Readonly<Ref<readonly InboxEntry[]>>) => {
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

  /** The question that was chosen last. */
  const last = shallowRef<Confirmation>();
  const alikeOf = (one: Confirmation) =>
    shown.value
      .filter(isSelectable)
      .flatMap(membersOf)
      .filter((other) => askerKey(other) === askerKey(one));
  /** All that the same agent asks, while some of it is not chosen. */
  const alike = computed(() => {
    const all = last.value === undefined ? [] : alikeOf(last.value);
    return all.some(({ id }) => !ids.value.has(id)) ? all : [];
  });
  const add = (more: readonly Confirmation[]) => {
    ids.value = new Set([...ids.value, ...more.map(({ id }) => id)]);
    isOn.value = true;
  };
  const toggle = (entry: InboxEntry) => {
    if (!isSelectable(entry)) return;
    const members = membersOf(entry);
    if (!isSelected(entry)) {
      [last.value] = members;
      add(members);
      return;
    }
    const gone = new Set(members.map(({ id }) => id));
    ids.value = new Set([...ids.value].filter((id) => !gone.has(id)));
  };
  const addAlike = (entry: InboxEntry) => {
    const [one] = isSelectable(entry) ? membersOf(entry) : [];
    if (one) add(alikeOf(one));
  };
  const clear = () => {
    ids.value = new Set();
    last.value = undefined;
    isOn.value = false;
  };
  return { isOn, questions, alike, isSelectable, isSelected, toggle, add, addAlike, clear };
};

export type Selection = ReturnType<typeof useSelection>;
