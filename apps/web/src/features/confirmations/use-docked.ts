import { computed, type ComputedRef } from 'vue';
import { useWide } from '../../ui/window/use-wide.ts';
import { useConfirmationsStore } from './use-confirmations-store.ts';

/**
 * Whether the questions have a column beside the page. With ample room it stays from the first question on, so that the page
 * does not move again; with less it is there while there is something in it.
 */
export const useDocked = (): ComputedRef<boolean> => {
  const store = useConfirmationsStore();
  const roomy = useWide(80);
  const ample = useWide(90);
  return computed(
    () => roomy.value && (store.open.length > 0 || store.closed.length > 0 || (ample.value && store.asked)),
  );
};
