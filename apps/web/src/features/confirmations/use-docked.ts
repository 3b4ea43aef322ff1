import { computed, type ComputedRef } from 'vue';
import { useWide } from '../../ui/window/use-wide.ts';
import { useConfirmationsStore } from './use-confirmations-store.ts';

/**
 * Whether the questions have a column beside the page. In a very wide window it stays after the first
 * question, so that the page does not move again; else it is shown while it has content.
 */
export const useDocked = (): ComputedRef<boolean> => {
  const store = useConfirmationsStore();
  const roomy = useWide(80);
  const ample = useWide(90);
  return computed(
    () =>
      roomy.value && (store.elsewhere.length > 0 || store.closed.length > 0 || (ample.value && store.asked)),
  );
};
