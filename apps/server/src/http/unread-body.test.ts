import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createFakeClock } from '@drawbridge/kit';
import { fastify } from 'fastify';
import { describe, expect, it, onTestFinished } from 'vitest';
import { errors } from '../errors.ts';
import { errorHandler } from './errors.ts';
import { readUnreadBodies, unreadLimits } from './unread-body.ts';

const mebibyte = 1024 * 1024;
const maxBytes = 32 * mebibyte;

/** A server that refuses everything before it reads a body. */
const setUp = async () => {
  const clock = createFakeClock();
  const app = fastify({ bodyLimit: mebibyte });
  app.setErrorHandler(errorHandler);
  readUnreadBodies(app, { clock, maxBytes });
  app.addHook('onRequest', (_request, _reply, done) => done(errors.unauthorized()));
  app.post('/', async () => ({}));
  const sockets: Socket[] = [];
  app.server.on('connection', (socket: Socket) => sockets.push(socket));
  const url = new URL(await app.listen({ host: '127.0.0.1', port: 0 }));
  onTestFinished(async () => {
    app.server.closeAllConnections();
    await app.close();
  });
  /** A connection that has sent the head of a request. */
  const begin = (...headers: string[]) => {
    const socket = connect(Number(url.port), url.hostname);
    // Whoever is cut off while sending hears of it in its own way.
    socket.on('error', () => {});
    onTestFinished(() => void socket.destroy());
    socket.write(headOf(headers));
    return socket;
  };
  /** Waits until so many bodies are read for nobody. */
  const reading = (bodies: number) => expect.poll(() => clock.waiting()).toBe(bodies);
  return { clock, begin, reading, sockets };
};

const headOf = (headers: string[]) => ['POST / HTTP/1.1', 'Host: here', ...headers, '', ''].join('\r\n');

/** Status and `Connection` of the next answer. */
const answerOn = async (socket: Socket): Promise<unknown[]> => {
  let text = '';
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    text += String(chunk);
    if (text.endsWith('}')) break;
  }
  return [Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1]), /^connection: (.*?)\r$/im.exec(text)?.[1]];
};

const sized = (bytes: number) => ({ head: `Content-Length: ${bytes}`, body: Buffer.alloc(bytes, 'x') });
const chunked = (bytes: number) => ({
  head: 'Transfer-Encoding: chunked',
  body: Buffer.concat([
    Buffer.from(`${bytes.toString(16)}\r\n`),
    Buffer.alloc(bytes, 'x'),
    Buffer.from('\r\n0\r\n\r\n'),
  ]),
});

const send = (socket: Socket, body: Buffer) =>
  new Promise<void>((resolve, reject) => socket.write(body, (error) => (error ? reject(error) : resolve())));

describe('a refusal before the body was read', () => {
  it.each([
    ['30 KiB', sized(30 * 1024)],
    ['1 MiB', sized(mebibyte)],
    ['4 MiB', sized(4 * mebibyte)],
    ['16 MiB', sized(16 * mebibyte)],
    ['4 MiB without a length', chunked(4 * mebibyte)],
    ['16 MiB without a length', chunked(16 * mebibyte)],
  ])('reaches who sends all of %s before it looks', async (_, { head, body }) => {
    const { begin, clock } = await setUp();
    const closing = begin('Connection: close', head);
    await send(closing, body);
    expect(await answerOn(closing)).toEqual([401, 'close']);
    const staying = begin(head);
    await send(staying, body);
    expect(await answerOn(staying)).toEqual([401, 'keep-alive']);
    staying.write(headOf([head]));
    await send(staying, body);
    expect(await answerOn(staying)).toEqual([401, 'keep-alive']);
    expect(clock.waiting()).toBe(0);
  });

  it.each([
    ['no body', 'Content-Length: 0', 'keep-alive'],
    ['a body of more than the most that is read', `Content-Length: ${maxBytes + 1}`, 'close'],
  ])('goes out at once for %s', async (_, head, connection) => {
    const { begin } = await setUp();
    expect(await answerOn(begin(head))).toEqual([401, connection]);
  });

  it('RX-03 waits 10 s for a body that does not come, and then closes', async () => {
    const { begin, clock, reading } = await setUp();
    const socket = begin('Content-Length: 10');
    const answer = answerOn(socket);
    await reading(1);
    socket.write('x');
    await clock.settle(9_999);
    expect(clock.waiting()).toBe(1);
    clock.advance(1);
    expect(await answer).toEqual([401, 'close']);
    await once(socket.resume(), 'close');
    expect(unreadLimits.ms).toBe(10_000);
  });

  it('RX-03 reads no more than it may of a body without an end', async () => {
    const { begin, clock, sockets } = await setUp();
    const socket = begin('Transfer-Encoding: chunked').resume();
    // Not `once`, which throws when it is cut off while sending.
    const closed = new Promise((resolve) => socket.once('close', resolve));
    const piece = Buffer.from(`10000\r\n${'x'.repeat(0x10000)}\r\n`);
    const goOn = () => {
      while (!socket.destroyed && socket.write(piece)) {}
    };
    socket.on('drain', goOn);
    goOn();
    await closed;
    const read = sockets[0]?.bytesRead ?? 0;
    expect([read > maxBytes, read < maxBytes + 2 * mebibyte]).toEqual([true, true]);
    expect(clock.waiting()).toBe(0);
  });

  it('RX-03 waits for 64 bodies at once and answers the next one without waiting', async () => {
    const { begin, clock, reading } = await setUp();
    expect(unreadLimits.atOnce).toBe(64);
    const slow = Array.from({ length: 64 }, () => begin('Content-Length: 10'));
    await reading(64);
    expect(await answerOn(begin('Content-Length: 10'))).toEqual([401, 'close']);
    slow[0]?.destroy();
    await reading(63);
    const late = begin('Content-Length: 10');
    await reading(64);
    late.write('0123456789');
    expect(await answerOn(late)).toEqual([401, 'keep-alive']);
    clock.advance(unreadLimits.ms);
    expect(await Promise.all(slow.slice(1).map(answerOn))).toEqual(
      Array.from({ length: 63 }, () => [401, 'close']),
    );
  });
});
