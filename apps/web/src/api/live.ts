import type { LiveMessage } from '@drawbridge/contracts/live';
import { createTimer, exponential, fullJitter, type Clock } from '@drawbridge/kit';
import type { Api } from './trpc.ts';

export type Listen = (message: LiveMessage) => void;

interface Needs {
  api: Api;
  clock: Clock;
  listen: Listen;
}

const retryRange = { baseMs: 500, capMs: 5_000 };

/**
 * Keeps the stream open until the returned function is called. A broken stream is reopened after a growing
 * delay, once the server confirms that the user is still signed in.
 */
export const keepLive = ({ api, clock, listen }: Needs): (() => void) => {
  const timer = createTimer(clock);
  let stream = new AbortController();
  let stopped = false;
  let attempt = 0;

  const open = () => {
    const own = new AbortController();
    stream = own;
    let isUp = false;
    const onBroken = () => {
      if (own.signal.aborted) return;
      own.abort();
      listen({ type: 'down' });
      retryLater();
    };
    const subscription = api.live.onEvent.subscribe(undefined, {
      onConnectionStateChange: ({ error }) => {
        if (error !== null) onBroken();
      },
      onData: ({ data }) => {
        // A refused stream opens as well; only the first message, the machine's state, proves that it works.
        if (!isUp) listen({ type: 'up' });
        isUp = true;
        attempt = 0;
        listen({ type: 'event', event: data });
      },
      onError: onBroken,
      onComplete: onBroken,
    });
    if (own.signal.aborted) subscription.unsubscribe();
    else own.signal.addEventListener('abort', subscription.unsubscribe);
  };

  const retryLater = () => {
    timer.start(250 + fullJitter(exponential(attempt, retryRange)), () => void retry());
    attempt += 1;
  };

  const retry = async () => {
    const user = await api.account.me.query().catch(() => undefined);
    if (stopped) return;
    if (user === undefined) retryLater();
    else if (user === null) listen({ type: 'signed-out' });
    else open();
  };

  open();
  return () => {
    stopped = true;
    timer.cancel();
    stream.abort();
  };
};
