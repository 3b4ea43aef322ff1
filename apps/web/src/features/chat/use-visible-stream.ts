import { createTimer } from '@drawbridge/kit';
import { useEventListener } from '@vueuse/core';
import { onScopeDispose, watch } from 'vue';
import { useClock } from '../../api/index.ts';

/** A hidden window keeps its stream this long: browsers open only six connections to a server. */
const hiddenMs = 30_000;

/** Runs `open` once it is ready and the window visible; cleans up 30 s after the window was hidden. */
export const useVisibleStream = (isReady: () => boolean, open: () => () => void): void => {
  const timer = createTimer(useClock());
  let close: (() => void) | null = null;

  const end = () => {
    close?.();
    close = null;
  };
  const update = () => {
    if (!isReady()) return;
    if (document.visibilityState === 'visible') {
      timer.cancel();
      close ??= open();
    } else if (close !== null && !timer.isWaiting()) timer.start(hiddenMs, end);
  };

  watch(isReady, update, { immediate: true });
  useEventListener(document, 'visibilitychange', update);
  onScopeDispose(() => {
    timer.cancel();
    end();
  });
};
