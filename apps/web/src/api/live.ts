import type { CallEvent, ConfirmationEvent, StateChanged } from '@drawbridge/contracts';
import { exponential, fullJitter, type Clock } from '@drawbridge/kit';
import type { Api } from './trpc.ts';

/** What an open panel hears. */
export interface Listener {
  onState(event: StateChanged): void;
  onCall(event: CallEvent): void;
  onConfirmation(event: ConfirmationEvent): void;
  /** All streams stand, at first or again: fetch what was missed meanwhile. */
  onUp(): void;
  /** A stream broke; it is being opened again. */
  onDown(): void;
  /** The session is over: nothing more will come. */
  onSignedOut(): void;
}

interface Needs {
  api: Api;
  clock: Clock;
  listener: Listener;
}

const streams = 3;
const retry = { baseMs: 1_000, capMs: 15_000 };

/** Opens the three subscriptions once; `onBroken` when one ended for good. */
const open = ({ api, listener }: Needs, onBroken: () => void): (() => void) => {
  const standing = new Set<string>();
  let wasUp = false;

  const track = (name: string, stands: boolean) => {
    if (stands) standing.add(name);
    else standing.delete(name);
    const isUp = standing.size === streams;
    if (isUp === wasUp) return;
    wasUp = isUp;
    if (isUp) listener.onUp();
    else listener.onDown();
  };

  const options = (name: string) => ({
    onConnectionStateChange: ({ state }: { state: string }) => track(name, state === 'pending'),
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
 * Keeps the streams open until the returned function is called. The browser reopens one that broke by itself;
 * one that ended for good (a proxy's error page, an ended session) is opened anew once the server says who is signed in.
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
