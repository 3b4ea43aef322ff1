import { createTimer, exponential, fullJitter, type Clock } from '@drawbridge/kit';

interface Ends {
  onError(): void;
  onComplete(): void;
  onConnectionStateChange(state: { error: unknown }): void;
}

interface Needs {
  clock: Clock;
  /** Opens the stream from where the reader stands; `onGood` says that it works. */
  open(ends: Ends, onGood: () => void): { unsubscribe(): void };
}

const retryRange = { baseMs: 500, capMs: 10_000 };

/** Keeps a stream open until the returned function is called; reopens a broken one after a growing delay. */
export const keepStream = ({ clock, open }: Needs): (() => void) => {
  const timer = createTimer(clock);
  let stream = new AbortController();
  let tries = 0;

  const start = () => {
    const own = new AbortController();
    stream = own;
    const onBroken = () => {
      if (own.signal.aborted) return;
      own.abort();
      timer.start(250 + fullJitter(exponential(tries, retryRange)), start);
      tries += 1;
    };
    const onConnectionStateChange = ({ error }: { error: unknown }) => {
      if (error !== null) onBroken();
    };
    const subscription = open({ onError: onBroken, onComplete: onBroken, onConnectionStateChange }, () => {
      tries = 0;
    });
    if (own.signal.aborted) subscription.unsubscribe();
    else own.signal.addEventListener('abort', () => subscription.unsubscribe());
  };

  start();
  return () => {
    timer.cancel();
    stream.abort();
  };
};
