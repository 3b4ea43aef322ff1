import { daemonEvent } from '@drawbridge/contracts/daemon-event';
import { daemonMounts } from '@drawbridge/contracts/daemon-paths';
import { socketAnswer, socketEvent, socketPath } from '@drawbridge/contracts/link/socket';
import { createTimer, type Clock } from '@drawbridge/kit';
import type { WebSocket } from 'ws';
import { z } from 'zod';
import { parseJson } from '../text/parse-json.ts';
import type { Failure } from './connection.ts';
import { networkFailure } from './failure.ts';
import type { SocketPosts } from './socket-posts.ts';
import { maxEventLength, silenceMs, type StreamEvents } from './stream.ts';

/** Without the server's first message by then, something in between does not let sockets through. */
const openMs = 5_000;

const message = z.array(z.unknown());

export interface SocketNeeds {
  url: URL;
  clock: Clock;
  headers(key: string): Record<string, string>;
  posts: SocketPosts;
}

interface SocketEvents extends Omit<StreamEvents, 'opened' | 'tried'> {
  opened(): void;
  /** Said once, in the place of `opened`: the event stream may work where this did not. */
  refused(sentence: string, isLate: boolean): void;
}

const addressOf = (url: URL): URL => {
  const address = new URL(url);
  address.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  address.pathname = url.pathname.replace(/\/$/, '') + daemonMounts.bare + socketPath;
  return address;
};

/** A link that is opened again. */
export const broken = (sentence: string): Failure => ({ kind: 'network', sentence });

/** Opens the server's socket. The returned function closes it; no event follows. */
export const openSocket = (needs: SocketNeeds, key: string, events: SocketEvents): (() => void) => {
  const { url, clock, headers, posts } = needs;
  const timer = createTimer(clock);
  let socket: WebSocket | undefined;
  let isOpen = false;
  let isClosed = false;

  const close = () => {
    if (isClosed) return;
    isClosed = true;
    timer.cancel();
    posts.closed();
    socket?.terminate();
  };
  const fail = (sentence: string, isLate = false) => {
    if (isClosed) return;
    close();
    if (isOpen) events.failed(broken(sentence));
    else events.refused(sentence, isLate);
  };
  const waitForSound = () => timer.start(silenceMs, () => fail(`no data for ${silenceMs / 1000} s`));

  const read = (entry: unknown) => {
    const answer = socketAnswer.safeParse(entry).data;
    if (answer) return posts.answered(answer);
    const event = daemonEvent.safeParse(socketEvent.safeParse(entry).data?.event).data;
    if (event && !isClosed) events.event(event);
  };

  const receive = (text: string) => {
    if (isClosed) return;
    const entries = parseJson(message, text);
    if (entries === undefined) return fail('this is not a message of a Drawbridge server');
    waitForSound();
    if (!isOpen && socket) {
      isOpen = true;
      const own = socket;
      posts.opened({ send: (outgoing) => own.send(outgoing), unsentBytes: () => own.bufferedAmount });
      events.opened();
    }
    for (const entry of entries) read(entry);
  };

  const open = async () => {
    const { WebSocket } = await import('ws');
    if (isClosed) return;
    socket = new WebSocket(addressOf(url), {
      headers: headers(key),
      perMessageDeflate: false,
      maxPayload: maxEventLength,
      followRedirects: false,
    });
    socket.on('error', (error) => fail(error.message));
    socket.on('close', () => fail('the server closed the connection'));
    socket.on('ping', () => isOpen && waitForSound());
    socket.on('message', (data) => receive(String(data)));
  };

  timer.start(openMs, () => fail('no answer in time', true));
  // Files of the program may be gone after an update.
  open().catch((error: unknown) => fail(networkFailure(error).sentence));
  return close;
};
