import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createFakeClock } from '@drawbridge/kit';
import { fastify } from 'fastify';
import { describe, expect, it, onTestFinished } from 'vitest';
import { errors } from '../errors.ts';
import { errorHandler } from './errors.ts';
import { drainBodies } from './drain-body.ts';

const mebibyte = 1024 * 1024;

/** A server that refuses everything before it reads a body. */
const setUp = async () => {
  const clock = createFakeClock();
  const app = fastify({ bodyLimit: mebibyte });
  app.setErrorHandler(errorHandler);
  drainBodies(app, clock);
  app.addHook('onRequest', (_request, _reply, done) => done(errors.unauthorized()));
  app.post('/', async () => ({}));
  const url = new URL(await app.listen({ host: '127.0.0.1', port: 0 }));
  onTestFinished(async () => {
    app.server.closeAllConnections();
    await app.close();
  });
  /** A connection that has sent the head of a request. */
  const begin = (...headers: string[]) => {
    const socket = connect(Number(url.port), url.hostname);
    // A sender that is cut off has an error of its own.
    socket.on('error', () => {});
    onTestFinished(() => void socket.destroy());
    socket.write(headOf(headers));
    return socket;
  };
  /** Waits until the rest of a body is drained. */
  const draining = () => expect.poll(() => clock.waiting()).toBe(1);
  return { clock, begin, draining };
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

  it('goes out at once without a body', async () => {
    const { begin } = await setUp();
    expect(await answerOn(begin('Content-Length: 0'))).toEqual([401, 'keep-alive']);
  });

  it('RX-03 waits 10 s for a body that does not come, and then closes', async () => {
    const { begin, clock, draining } = await setUp();
    const socket = begin('Content-Length: 10');
    const answer = answerOn(socket);
    await draining();
    socket.write('x');
    await clock.settle(9_999);
    expect(clock.waiting()).toBe(1);
    clock.advance(1);
    expect(await answer).toEqual([401, 'close']);
    await once(socket.resume(), 'close');
  });

  it('RX-03 closes after 10 s of a body without an end', async () => {
    const { begin, clock, draining } = await setUp();
    const socket = begin('Transfer-Encoding: chunked').resume();
    // Not `once`, which throws when it is cut off while sending.
    const closed = new Promise((resolve) => socket.once('close', resolve));
    const piece = Buffer.from(`10000\r\n${'x'.repeat(0x10000)}\r\n`);
    const write = () => {
      while (!socket.destroyed && socket.write(piece)) {}
    };
    socket.on('drain', write);
    write();
    await draining();
    clock.advance(10_000);
    await closed;
  });
});
