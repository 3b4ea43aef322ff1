import { createTimer, exponential, fullJitter, type Clock } from '@drawbridge/kit';

interface Ends {
  onError(): void;
  onComplete(): void;
  onConnectionStateChange(state: { error: unknown }): void;
}

interface Needs {
  clock: Clock;
  /** The longest delay before a broken stream is reopened. */
  capMs: number;
  /** Opens the stream from where the reader stands; `onGood` says that it works. */
  open(ends: Ends, onGood: () => void): { unsubscribe(): void };
  onBroken?(): void;
  /** Asked before a stream is reopened. `later`: asked again after the next delay. */
  mayReopen?(): Promise<'yes' | 'no' | 'later'>;
  /** The stream is not reopened. */
  onEnd?(): void;
}

/** Keeps a stream open until the returned function is called; reopens a broken one after a growing delay. */
export const keepStream = ({ clock, capMs, open, onBroken, mayReopen, onEnd }: Needs): (() => void) => {
  const timer = createTimer(clock);
  let stream = new AbortController();
  let stopped = false;
  let tries = 0;

  const start = () => {
    const own = new AbortController();
    stream = own;
    const end = () => {
      if (own.signal.aborted) return;
      own.abort();
      onBroken?.();
      retryLater();
    };
    const onConnectionStateChange = ({ error }: { error: unknown }) => {
      if (error !== null) end();
    };
    const subscription = open({ onError: end, onComplete: end, onConnectionStateChange }, () => {
      tries = 0;
    });
    if (own.signal.aborted) subscription.unsubscribe();
    else own.signal.addEventListener('abort', () => subscription.unsubscribe());
  };

  const retryLater = () => {
    timer.start(250 + fullJitter(exponential(tries, { baseMs: 500, capMs })), () => void retry());
    tries += 1;
  };

  const retry = async () => {
    const may = (await mayReopen?.()) ?? 'yes';
    if (stopped) return;
    if (may === 'later') retryLater();
    else if (may === 'yes') start();
    else onEnd?.();
  };

  start();
  return () => {
    stopped = true;
    timer.cancel();
    stream.abort();
  };
};

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
