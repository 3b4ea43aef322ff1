import { once } from 'node:events';
import { createServer, Socket, type AddressInfo } from 'node:net';
import { Duplex } from 'node:stream';
import { createFakeClock, nextMacrotask } from '@drawbridge/kit';
import { expect, it, onTestFinished } from 'vitest';
import { connectTo, ended, get, sharedEgress, until } from '../../../../test/support/egress-fixture.ts';
import { createDownstream, createReadBuffers } from './downstream.ts';
import { dialDirectly } from './dial.ts';
import { createLinks } from './links.ts';

const open = sharedEgress();
const mebibyte = 1024 * 1024;

/** Bytes whose place can be told. */
const piece = Buffer.from(Uint32Array.from({ length: mebibyte / 4 }, (_, at) => at).buffer);

/** A host that sends pieces as fast as they are read; `sockets` are the daemon's connections to it. */
const openHost = async (pieces: number, answersHttp = false) => {
  const server = createServer({ allowHalfOpen: true }, (link) => {
    let left = pieces;
    link.on('error', () => undefined);
    if (answersHttp) link.write('HTTP/1.1 200 OK\r\n\r\n');
    const send = () => {
      while (left > 0) {
        left -= 1;
        if (!link.write(piece)) return void link.once('drain', send);
      }
      link.end();
    };
    send();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => void server.close());
  // It listens on a TCP port.
  const { port } = server.address() as AddressInfo;
  const sockets: Socket[] = [];
  const world = await open({
    dial: (_addresses, _port, onread) => {
      const socket = dialDirectly(['127.0.0.1'], port, onread);
      sockets.push(socket);
      return socket;
    },
  });
  const link = async () => {
    const socket = world.link();
    socket.write(connectTo('good.test:5432'));
    await once(socket, 'readable');
    expect(String(socket.read(39))).toContain('200 Connection established\r\n\r\n');
    return socket;
  };
  return { world, sockets, link };
};

it.each([
  ['whose client waits for the end', (_socket: Socket) => {}],
  ['whose client has sent its end', (socket: Socket) => void socket.end('x')],
])('a download %s is whole and in order, also where it is read slowly', async (_case, begin) => {
  const { link } = await openHost(16);
  const socket = await link();
  begin(socket);
  let at = 0;
  let isRight = true;
  let reads = 0;
  socket.on('data', (chunk: Buffer) => {
    const from = at % piece.length;
    const rest = Math.min(chunk.length, piece.length - from);
    isRight &&= chunk.subarray(0, rest).equals(piece.subarray(from, from + rest));
    isRight &&= chunk.subarray(rest).equals(piece.subarray(0, chunk.length - rest));
    at += chunk.length;
    reads += 1;
    if (reads % 20 !== 0) return;
    socket.pause();
    void nextMacrotask().then(() => socket.resume());
  });
  await ended(socket);
  expect([isRight, at]).toEqual([true, 16 * mebibyte]);
});

it('SH-64 a client that does not read holds up its host, whatever that sends', async () => {
  const { link, sockets } = await openHost(64);
  const socket = await link();
  socket.pause();
  const read = () => sockets[0]?.bytesRead ?? 0;
  let before = -1;
  let still = 0;
  await until(() => {
    const now = read();
    still = now > 0 && now === before ? still + 1 : 0;
    before = now;
    // On a busy machine a host that is read on stands still for one look or two.
    expect(still).toBe(10);
  });
  // What the system keeps for both connections, and three buffers.
  expect(read()).toBeLessThan(24 * mebibyte);
  expect((sockets[0]?.readableLength ?? 0) + socket.readableLength).toBeLessThan(mebibyte);
});

it('a connection is not read before its reader begins', async () => {
  const server = createServer((link) => void link.write('hello'));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => void server.close());
  // It listens on a TCP port.
  const { port } = server.address() as AddressInfo;
  const read = Promise.withResolvers<number>();
  let hasRead = false;
  const onread = {
    buffer: Buffer.alloc(100),
    callback: (bytes: number) => ((hasRead = true), read.resolve(bytes), true),
  };
  const socket = dialDirectly(['127.0.0.1'], port, onread);
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  for (let at = 0; at < 50; at += 1) await nextMacrotask();
  expect(hasRead).toBe(false);
  socket.resume();
  expect(await read.promise).toBe(5);
});

it('a buffer is used again once the client has what was in it', () => {
  const written: (() => void)[] = [];
  // Nothing else of a client is used.
  const client = { write: (_chunk: Buffer, done: () => void) => written.push(done) } as unknown as Socket;
  const { onread } = createDownstream(client, createReadBuffers());
  const next = () => (typeof onread.buffer === 'function' ? onread.buffer() : onread.buffer);
  const first = next();
  onread.callback(first.length, first);
  const second = next();
  written[0]?.();
  onread.callback(1, second);
  written[1]?.();
  expect([first === second, first.length, second.length, next() === second]).toEqual([
    false,
    64 * 1024,
    256 * 1024,
    true,
  ]);
});

it('SH-64 an egress keeps 32 large buffers, and no more than 32 small ones', () => {
  const { take, release } = createReadBuffers();
  const all = Array.from({ length: 40 }, () => take(true));
  expect(all.map(({ length }) => length / 1024)).toEqual(all.map((_, at) => (at < 32 ? 256 : 64)));
  const small = Array.from({ length: 40 }, () => take(false));
  for (const one of [...all, ...small]) release(one);
  const again = Array.from({ length: 40 }, () => take(true));
  expect(again.filter((one) => all.includes(one))).toHaveLength(32);
  expect(
    Array.from({ length: 40 }, () => take(false)).filter((one) => [...all, ...small].includes(one)),
  ).toHaveLength(32);
});

it('an answer of a host that closes at once reaches a client that reads it late', async () => {
  const { world, sockets } = await openHost(8, true);
  const socket = world.link();
  let at = 0;
  socket.on('data', (chunk: Buffer) => (at += chunk.length)).pause();
  socket.write(get('http://good.test/', 'Host: good.test'));
  await until(() => expect(sockets[0]?.bytesRead).toBeGreaterThan(mebibyte));
  socket.resume();
  await ended(socket);
  expect(at).toBeGreaterThan(8 * mebibyte);
});

it('a client that gets the end of its host gets what was sent before it', async () => {
  const links = createLinks(createFakeClock());
  const written: (() => void)[] = [];
  const slow = () =>
    new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => void written.push(done) });
  const [waits, cut] = [slow(), slow()];
  const hosts = [waits, cut].map((client) => {
    const remote = new Socket();
    links.add({ host: 'good.test', hostname: 'good.test', port: 443 }, { client, remote });
    client.write('x');
    return remote;
  });
  waits.end();
  for (const remote of hosts) remote.destroy();
  await Promise.all(hosts.map((remote) => once(remote, 'close')));
  expect([waits.destroyed, cut.destroyed, links.places().length]).toEqual([false, true, 1]);
  for (const done of written) done();
  waits.push(null);
  waits.resume();
  await once(waits, 'close');
  expect(links.places()).toEqual([]);
  links.stop();
});
