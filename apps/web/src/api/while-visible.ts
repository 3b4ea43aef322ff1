import { createTimer, type Clock } from '@drawbridge/kit';

/** A hidden window keeps its stream this long: browsers open only six connections to a server. */
const hiddenMs = 30_000;

/** Opens once the window is visible, and closes 30 s after it was hidden. Gives what ends it. */
export const whileVisible = (clock: Clock, open: () => () => void): (() => void) => {
  const timer = createTimer(clock);
  let close: (() => void) | null = null;

  const end = () => {
    close?.();
    close = null;
  };
  const update = () => {
    if (document.visibilityState === 'visible') {
      timer.cancel();
      close ??= open();
    } else if (close !== null && !timer.isWaiting()) timer.start(hiddenMs, end);
  };

  document.addEventListener('visibilitychange', update);
  update();
  return () => {
    document.removeEventListener('visibilitychange', update);
    timer.cancel();
    end();
  };
};
