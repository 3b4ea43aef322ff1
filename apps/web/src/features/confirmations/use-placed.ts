import { onScopeDispose, watch } from 'vue';
import { useConfirmationsStore } from './use-confirmations-store.ts';

/** Keeps questions that a part of the page shows out of the strip. */
export const usePlaced = (ids: () => readonly string[]): void => {
  const store = useConfirmationsStore();
  const part = Symbol('part');
  watch(
    () => ids().join(' '),
    () => store.place(part, ids()),
    { immediate: true },
  );
  onScopeDispose(() => store.place(part, []));
};
