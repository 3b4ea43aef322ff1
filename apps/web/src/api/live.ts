import { exponential, fullJitter, type Clock } from '@drawbridge/kit';
import type { Listener } from './listener.ts';
import type { Api } from './trpc.ts';

interface Needs {
  api: Api;
  clock: Clock;
  listener: Listener;
}

const retry = { baseMs: 500, capMs: 5_000 };

/** Opens the subscription once; `onBroken` when it broke or ended. */
const open = ({ api, listener }: Needs, onBroken: () => void): (() => void) => {
  let isUp = false;
  const subscription = api.live.onEvent.subscribe(undefined, {
    onConnectionStateChange: ({ error }) => {
      if (error !== null) onBroken();
    },
    onData: ({ data }) => {
      // A stream that is refused opens as well: the first message, the machine's state, tells that it stands.
      if (!isUp) listener.onUp();
      isUp = true;
      listener.onEvent(data);
    },
    onError: onBroken,
    onComplete: onBroken,
  });
  return subscription.unsubscribe;
};

/**
 * Keeps the stream open until the returned function is called. When it breaks it is opened anew, after a wait that grows,
 * once the server says that the person is still signed in.
 */
export const keepLive = (needs: Needs): (() => void) => {
  const { api, clock, listener } = needs;
  let stopped = false;
  let close = () => {};
  let attempt = 0;

  const start = () => {
    let broken = false;
    close = open({ ...needs, listener: { ...listener, onUp } }, () => {
      if (broken || stopped) return;
      broken = true;
      close();
      listener.onDown();
      wait();
    });
  };

  const onUp = () => {
    attempt = 0;
    listener.onUp();
  };

  const wait = () => {
    const waitMs = 250 + fullJitter(exponential(attempt, retry));
    attempt += 1;
    close = clock.after(waitMs, () => void ask());
  };

  const ask = async () => {
    const user = await api.account.me.query().catch(() => undefined);
    if (stopped) return;
    if (user === undefined) wait();
    else if (user === null) listener.onSignedOut();
    else start();
  };

  start();
  return () => {
    stopped = true;
    close();
  };
};
