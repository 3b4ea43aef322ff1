import { once } from 'node:events';
import { createServer, get, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createFakeClock, nextMacrotask } from '@drawbridge/kit';
import type { FastifyReply } from 'fastify';
import { describe, expect, it } from 'vitest';
import { createSseStream } from './sse.ts';

/** A stream on a real socket, what was written on it, and all that its reader gets. */
const onSocket = async (slowReader: 'close' | 'skip' = 'close') => {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A server that listens on a port has an address of this kind.
  const { port } = server.address() as AddressInfo;
  const asked = once(server, 'request');
  const received = new Promise<string>((resolve, reject) => {
    get({ port, host: '127.0.0.1' }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () => resolve(text)).on('error', reject);
    }).on('error', reject);
  });
  received.catch(() => {});
  // The two of `request`, as Node declares them.
  const [, raw] = (await asked) as [unknown, ServerResponse];
  const writes: string[] = [];
  const write = raw.write.bind(raw);
  raw.write = (text: string) => {
    writes.push(text);
    return write(text);
  };
  // As much of a reply as a stream touches.
  const reply = { raw, hijack: () => {}, getHeaders: () => ({}) } as unknown as FastifyReply;
  const clock = createFakeClock(0);
  const stream = createSseStream(reply, { clock, slowReader });
  const end = () => {
    stream.end();
    server.close();
    return received;
  };
  return { stream, clock, raw, writes, received, end };
};

const frame = (id: number) => `id: ${id}\ndata: {"n":${id}}\n\n`;

describe('the frames of a turn', () => {
  it('are one write, in their order', async () => {
    const { stream, writes, end } = await onSocket();
    stream.open();
    for (const id of [1, 2, 3]) stream.send({ id, data: { n: id } });
    await nextMacrotask();
    stream.send({ id: 4, data: { n: 4 } });
    await nextMacrotask();
    expect(writes).toEqual([`: open\n\n${frame(1)}${frame(2)}${frame(3)}`, frame(4)]);
    await end();
  });

  it('go out though the stream is ended in the same turn, before its last one', async () => {
    const { stream, received } = await onSocket();
    stream.send({ event: 'a', data: 1 });
    stream.end({ event: 'b', data: 2 });
    expect(await received).toBe('event: a\ndata: 1\n\nevent: b\ndata: 2\n\n');
  });

  it('that are more than 16 KiB do not wait', async () => {
    const { stream, writes, end } = await onSocket();
    stream.send({ data: 'x'.repeat(16 * 1024 - 100) });
    expect(writes).toEqual([]);
    stream.send({ data: 'x'.repeat(100) });
    expect(writes).toHaveLength(1);
    await end();
  });
});

it('an open stream has a comment every 15 s, as long as its reader is there', async () => {
  const { stream, clock, writes, end } = await onSocket();
  stream.open();
  clock.advance(30_000);
  await nextMacrotask();
  expect(writes).toEqual([': open\n\n: ping\n\n: ping\n\n']);
  await end();
  clock.advance(30_000);
  await nextMacrotask();
  expect(writes).toHaveLength(1);
});

/** Sets how much the reader has left unread. */
const leaveUnread = (raw: ServerResponse, bytes: number) =>
  Object.defineProperty(raw, 'writableLength', { value: bytes });

describe('RX-01 a reader that leaves more than 1 MiB unread', () => {
  it('is cut off at the next frame, and is sent nothing more', async () => {
    const { stream, raw, writes } = await onSocket('close');
    expect(stream.send({ data: 1 })).toBe(true);
    leaveUnread(raw, 1024 * 1024 + 1);
    expect(stream.send({ data: 2 })).toBe(false);
    expect(raw.destroyed).toBe(true);
    expect(stream.send({ data: 3 })).toBe(false);
    await nextMacrotask();
    expect(writes).toEqual([]);
  });

  it('misses frames where these may be skipped, but not the last one', async () => {
    const { stream, raw, received } = await onSocket('skip');
    expect(stream.send({ data: 1 })).toBe(true);
    leaveUnread(raw, 1024 * 1024 + 1);
    expect(stream.send({ data: 2 })).toBe(false);
    stream.end({ data: 3 });
    expect(await received).toBe('data: 1\n\ndata: 3\n\n');
  });
});

describe('waiting until a stream can take more', () => {
  const full = async () => {
    const { stream, raw, end } = await onSocket('skip');
    stream.open();
    await nextMacrotask();
    raw.cork();
    stream.send({ data: 'x'.repeat(100_000) });
    expect(raw.writableNeedDrain).toBe(true);
    return { stream, raw, end };
  };

  it.each<[string, (raw: ServerResponse) => unknown]>([
    ['drained', (raw) => raw.uncork()],
    ['closed', (raw) => raw.destroy()],
  ])('adds one listener for all who wait, and none is left once it has %s', async (_what, end) => {
    const { stream, raw } = await full();
    const counts = () => ['drain', 'close'].map((event) => raw.listenerCount(event));
    const before = counts();
    const waiting = Array.from({ length: 20 }, () => stream.ready());
    expect(counts()).toEqual(before.map((count) => count + 1));
    end(raw);
    await Promise.all(waiting);
    expect(counts()).toEqual(before);
    raw.destroy();
  });
});
