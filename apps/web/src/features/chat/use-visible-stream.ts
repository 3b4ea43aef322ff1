import { onScopeDispose, watch } from 'vue';
import { useClock, whileVisible } from '../../api/index.ts';

/** Runs `open` once it is ready and the window visible; cleans up 30 s after the window was hidden. */
export const useVisibleStream = (isReady: () => boolean, open: () => () => void): void => {
  const clock = useClock();
  let stop: (() => void) | null = null;
  watch(
    isReady,
    (ready) => {
      if (ready) stop ??= whileVisible(clock, open);
    },
    { immediate: true },
  );
  onScopeDispose(() => stop?.());
};
