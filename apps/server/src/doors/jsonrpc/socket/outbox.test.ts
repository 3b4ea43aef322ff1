import { createFakeClock } from '@drawbridge/kit';
import { describe, expect, it } from 'vitest';
import { createOutbox } from './outbox.ts';

const kilobyte = 1024;
const megabyte = 1024 * kilobyte;

/** An outbox before a socket that reads only when `read` is called. */
const world = () => {
  const clock = createFakeClock();
  const sent: { event?: string; data?: { text?: string; offset?: number }; result?: string }[] = [];
  const told: string[] = [];
  let unread: { bytes: number; written(): void }[] = [];
  const socket = {
    get bufferedAmount() {
      return unread.reduce((sum, { bytes }) => sum + bytes, 0);
    },
    send: (text: string, written: () => void) => {
      sent.push(JSON.parse(text));
      unread.push({ bytes: text.length, written });
    },
  };
  const outbox = createOutbox({
    socket: socket as never,
    clock,
    onRead: (mayRead) => void (told.at(-1) !== String(mayRead) && told.push(String(mayRead))),
    onTooSlow: () => void told.push('too slow'),
    onGrew: () => {},
    onShrank: () => {},
  });
  const readOnce = () => {
    const [first, ...rest] = unread;
    unread = rest;
    first?.written();
    return first !== undefined;
  };
  return {
    clock,
    sent,
    told,
    outbox,
    readOnce,
    readAll: () => {
      while (readOnce());
    },
    /** A result of that size. */
    result: (bytes: number) => outbox.send({ result: 'x'.repeat(bytes) }),
    delta: (text: string, offset: number, id = 1) =>
      outbox.delta({ id, dialect: 'seed', event: { event: 'content', data: { text, offset } as never } }),
  };
};

const textsOf = (sent: ReturnType<typeof world>['sent']) =>
  sent.filter(({ event }) => event === 'content').map(({ data }) => data?.text?.length);

describe('WS-09 for a reader', () => {
  it('that reads, everything goes out as it comes', () => {
    const { sent, told, delta, result, readAll } = world();
    for (let at = 0; at < 100; at += 1) {
      delta('word', at * 4);
      readAll();
    }
    result(1);
    expect([textsOf(sent), sent.at(-1)]).toEqual([Array.from({ length: 100 }, () => 4), { result: 'x' }]);
    expect(told).not.toContain('false');
  });

  it('that is slow, parts of one text are joined from 256 KiB on', () => {
    const { sent, delta, result, readAll } = world();
    result(256 * kilobyte);
    result(256 * kilobyte);
    delta('a'.repeat(10), 0);
    delta('b'.repeat(10), 10);
    delta('c'.repeat(10), 0, 2);
    delta('d'.repeat(10), 20);
    readAll();
    expect(textsOf(sent)).toEqual([20, 10, 10]);
  });

  it('that is slower, parts are dropped from 1 MiB on and the socket is not read; the end comes whole', () => {
    const { sent, told, delta, outbox, result, readAll } = world();
    result(256 * kilobyte);
    result(megabyte);
    expect(told.at(-1)).toBe('false');
    delta('lost', 0);
    outbox.send({ event: 'done', data: { content: 'y'.repeat(2 * megabyte) } });
    readAll();
    expect(textsOf(sent)).toEqual([]);
    expect(sent.map(({ event, result: body }) => event ?? body?.length)).toEqual([
      256 * kilobyte,
      megabyte,
      'done',
    ]);
    expect(told.at(-1)).toBe('true');
    delta('read', 4);
    expect(textsOf(sent)).toEqual([4]);
  });

  it('that has 8 MiB waiting for 5 s, it is too slow', () => {
    const { clock, told, result, readOnce } = world();
    result(256 * kilobyte);
    for (let at = 0; at < 17; at += 1) result(512 * kilobyte);
    clock.advance(4_000);
    expect(told).not.toContain('too slow');
    readOnce();
    clock.advance(2_000);
    expect(told.at(-1)).toBe('too slow');
  });

  it('that has 8 MiB waiting for less, it goes on', () => {
    const { clock, told, sent, result, readAll } = world();
    result(256 * kilobyte);
    for (let at = 0; at < 17; at += 1) result(512 * kilobyte);
    clock.advance(4_000);
    readAll();
    clock.advance(60_000);
    expect([told.at(-1), sent.length]).toEqual(['true', 18]);
  });

  it('that has 64 MiB waiting, it is too slow at once', () => {
    const { told, sent, result, readAll } = world();
    result(256 * kilobyte);
    for (let at = 0; at < 64; at += 1) result(megabyte - 20);
    expect(told).not.toContain('too slow');
    result(megabyte);
    expect(told.at(-1)).toBe('too slow');
    result(1);
    readAll();
    expect(sent).toHaveLength(1);
  });

  it('that reads nothing for 30 s, it is too slow', () => {
    const { clock, told, result } = world();
    result(256 * kilobyte);
    result(1);
    clock.advance(29_000);
    expect(told).toEqual([]);
    clock.advance(1_000);
    expect(told).toEqual(['too slow']);
  });
});
