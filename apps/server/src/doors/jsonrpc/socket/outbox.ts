import type { Clock } from '@drawbridge/kit';
import type { WebSocket } from 'ws';
import type { RpcId } from '../../../rpc/index.ts';
import type { Dialect } from '../protocol/error.ts';
import { eventFrame, type RpcEvent } from '../protocol/reply.ts';

const kilobyte = 1024;
const megabyte = 1024 * kilobyte;

/** In bytes, and milliseconds; docs/jsonrpc.md lists them. */
const outboxLimits = {
  /** Handed to the socket; the rest waits here. */
  unsent: 256 * kilobyte,
  /** Waiting here: neighbouring parts of one text become one. */
  joinFrom: 256 * kilobyte,
  /** Waiting here: parts of texts are dropped, and the socket is not read. */
  dropFrom: megabyte,
  /** Waiting here for `longMs`: the reader is too slow. */
  slowFrom: 8 * megabyte,
  slowMs: 5_000,
  /** Waiting here: too slow at once. */
  most: 64 * megabyte,
  /** Without any progress. */
  stuckMs: 30_000,
} as const;

const checkEveryMs = 1_000;

/** A part of a text. It may be joined with the next part, or dropped: `done` has the whole text. */
export interface Delta {
  id: RpcId;
  dialect: Dialect;
  event: RpcEvent & { data: { text: string } };
}

type Waiting = { text: string; delta: null } | { text: null; delta: Delta };

interface Needs {
  socket: Pick<WebSocket, 'send' | 'bufferedAmount'>;
  clock: Clock;
  /** Whether the client may go on sending. */
  onRead(mayRead: boolean): void;
  onTooSlow(): void;
  /** More waits than before, or less. */
  onGrew(): void;
  onShrank(): void;
}

const sizeOf = ({ text, delta }: Waiting): number =>
  text === null ? Buffer.byteLength(delta.event.data.text) : Buffer.byteLength(text);

const textOf = ({ text, delta }: Waiting): string =>
  text ?? JSON.stringify(eventFrame(delta.dialect, delta.id, delta.event));

const joined = (first: Delta, next: Delta): Delta => ({
  ...first,
  event: {
    ...first.event,
    data: { ...first.event.data, text: first.event.data.text + next.event.data.text },
  },
});

/** What a socket is to send, in order; bounds what waits for a slow reader. */
export const createOutbox = ({ socket, clock, onRead, onTooSlow, onGrew, onShrank }: Needs) => {
  let waiting: Waiting[] = [];
  let bytes = 0;
  let progressAt = 0;
  let slowSince: number | null = null;
  let stopChecking: (() => void) | null = null;
  let isEnded = false;

  const end = () => {
    isEnded = true;
    waiting = [];
    bytes = 0;
    stopChecking?.();
    stopChecking = null;
  };
  const giveUp = () => {
    end();
    onTooSlow();
  };

  const check = () => {
    const now = clock.now();
    slowSince = bytes > outboxLimits.slowFrom ? (slowSince ?? now) : null;
    const isSlow = slowSince !== null && now - slowSince >= outboxLimits.slowMs;
    if (isSlow || now - progressAt >= outboxLimits.stuckMs) giveUp();
  };

  const pump = () => {
    progressAt = clock.now();
    let sent = 0;
    while (sent < waiting.length && socket.bufferedAmount < outboxLimits.unsent) {
      const next = waiting[sent];
      sent += 1;
      if (next === undefined) break;
      bytes -= sizeOf(next);
      socket.send(textOf(next), pump);
    }
    if (sent > 0) waiting = waiting.slice(sent);
    if (bytes < outboxLimits.dropFrom) onRead(true);
    onShrank();
    if (waiting.length > 0) return;
    stopChecking?.();
    stopChecking = null;
  };

  const wait = (entry: Waiting) => {
    waiting.push(entry);
    bytes += sizeOf(entry);
    progressAt = stopChecking === null ? clock.now() : progressAt;
    stopChecking ??= clock.every(checkEveryMs, check);
    if (bytes >= outboxLimits.dropFrom) onRead(false);
    if (bytes > outboxLimits.most) giveUp();
  };

  const mayGoNow = () => waiting.length === 0 && socket.bufferedAmount < outboxLimits.unsent;

  return {
    send: (frame: object): void => {
      if (isEnded) return;
      const text = JSON.stringify(frame);
      if (mayGoNow()) socket.send(text, pump);
      else wait({ text, delta: null });
      onGrew();
    },
    delta: (delta: Delta): void => {
      if (isEnded) return;
      if (mayGoNow()) return socket.send(textOf({ text: null, delta }), pump);
      if (bytes >= outboxLimits.dropFrom) return;
      const last = waiting.at(-1);
      if (bytes < outboxLimits.joinFrom || last?.delta?.id !== delta.id) return wait({ text: null, delta });
      waiting[waiting.length - 1] = { text: null, delta: joined(last.delta, delta) };
      bytes += Buffer.byteLength(delta.event.data.text);
    },
    /** The bytes that wait, here and in the socket. */
    unread: (): number => bytes + socket.bufferedAmount,
    /** Drops what waits; nothing is sent from now on. */
    end,
  };
};
