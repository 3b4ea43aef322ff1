import { exponential, fullJitter, type Clock } from '@drawbridge/kit';
import type { Listener } from './listener.ts';
import type { Api } from './trpc.ts';

interface Needs {
  api: Api;
  clock: Clock;
  listener: Listener;
}

const streams = 3;
const retry = { baseMs: 500, capMs: 5_000 };

/** Opens the three subscriptions once; `onBroken` when any of them broke or ended. */
const open = ({ api, listener }: Needs, onBroken: () => void): (() => void) => {
  const standing = new Set<string>();

  const options = (name: string) => ({
    onConnectionStateChange: ({ state, error }: { state: string; error: unknown }) => {
      if (state === 'pending' && standing.size < streams && standing.add(name).size === streams)
        listener.onUp();
      else if (error !== null) onBroken();
    },
    onError: onBroken,
    onComplete: onBroken,
  });

  const subscriptions = [
    api.gateway.onStateChanged.subscribe(undefined, {
      ...options('state'),
      onData: ({ data }) => listener.onState(data),
    }),
    api.confirmations.onChanged.subscribe(undefined, {
      ...options('confirmations'),
      onData: ({ data }) => listener.onConfirmation(data),
    }),
    api.calls.onChanged.subscribe(undefined, {
      ...options('calls'),
      onData: ({ data }) => listener.onCall(data),
    }),
  ];
  return () => {
    for (const subscription of subscriptions) subscription.unsubscribe();
  };
};

/**
 * Keeps the streams open until the returned function is called. When one breaks, all are opened anew, after a wait that
 * grows, once the server says that the person is still signed in.
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
