import type { CallEvent } from '@drawbridge/contracts/calls';
import type { LiveMessage } from '@drawbridge/contracts/live';
import type { Clock } from '@drawbridge/kit';
import type { Listen } from './live.ts';
import { whileVisible } from './keep-stream.ts';

/** A new window asks the leading one for what it has missed. */
interface Hello {
  type: 'hello';
}

interface Needs {
  /** Only windows of the same user share a stream. */
  userId: string;
  /** Names the build: what another one sends may mean something else. */
  build: string;
  clock: Clock;
  listen: Listen;
  /** Opens the stream of the leading window. */
  open: (listen: Listen) => () => void;
  /** Events of running calls that a new window has missed; receiving one twice must change nothing. */
  recall: () => CallEvent[];
}

/** The stream of a window that shares none. */
const keepOwn = ({ clock, listen, open }: Pick<Needs, 'clock' | 'listen' | 'open'>): (() => void) => {
  let isOver = false;
  const stop = whileVisible(clock, () => {
    const close = open(listen);
    return () => {
      close();
      if (!isOver) listen({ type: 'down' });
    };
  });
  return () => {
    isOver = true;
    stop();
  };
};

/**
 * One stream for all windows of a user, because browsers open only six HTTP/1.1 connections per server. One
 * window leads and forwards each message. Without locks (plain http) each window has its own while it is
 * visible; hidden for 30 s it is down, as without a server that streams.
 */
export const shareLive = ({ userId, build, clock, listen, open, recall }: Needs): (() => void) => {
  if (!('locks' in navigator) || typeof BroadcastChannel === 'undefined')
    return keepOwn({ clock, listen, open });

  const name = `drawbridge-live ${userId} ${build}`;
  const channel = new BroadcastChannel(name);
  const ending = new AbortController();
  const post = (message: LiveMessage) => channel.postMessage(message);

  channel.onmessage = ({ data }: MessageEvent<LiveMessage | Hello>) => {
    if (data.type !== 'hello') listen(data);
  };
  channel.postMessage({ type: 'hello' });

  const lead = () =>
    new Promise<void>((release) => {
      let isUp = false;
      channel.onmessage = ({ data }: MessageEvent<{ type?: unknown }>) => {
        if (!isUp || data.type !== 'hello') return;
        post({ type: 'up' });
        for (const event of recall()) post({ type: 'event', event: { topic: 'calls', event } });
      };
      const close = open((message) => {
        if (message.type !== 'event') isUp = message.type === 'up';
        post(message);
        listen(message);
      });
      ending.signal.addEventListener('abort', () => {
        close();
        release();
      });
    });

  // Aborted while it waits for the lock: another window leads.
  navigator.locks.request(name, { signal: ending.signal }, lead).catch(() => {});
  return () => {
    ending.abort();
    channel.close();
  };
};
