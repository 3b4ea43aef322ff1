import { once } from 'node:events';
import { connect, createServer, Socket, type AddressInfo } from 'node:net';
import { createFakeClock, systemClock } from '@drawbridge/kit';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  connectTo,
  ended,
  get,
  sharedEgress,
  statusOf,
  through,
  until,
} from '../../../../test/support/egress-fixture.ts';
import { dialDirectly, whenConnected } from './dial.ts';

const open = sharedEgress();

describe('SH-64 limits', () => {
  it('headers, a hello and a connection have ten seconds, and an idle tunnel an hour', async () => {
    const clock = createFakeClock();
    const world = await open({ clock });
    const slow = world.link();
    slow.write('GET http://good.test/ HTTP/1.1\r\nX-');
    const silent = await through(world, 'good.test:443', []);
    const tunnel = await through(world, 'good.test:5432', [Buffer.from('x')]);
    await until(() => expect(tunnel.text()).toBe('ready x'));
    // The two waits, and the look at idle tunnels.
    await until(() => expect(clock.waiting()).toBe(3));
    clock.advance(9_999);
    expect([slow.readableEnded, silent.socket.readableEnded]).toEqual([false, false]);
    clock.advance(1);
    await Promise.all([slow, silent.socket].map(ended));
    expect(tunnel.socket.readableEnded).toBe(false);
    await clock.settle(62 * 60_000);
    await ended(tunnel.socket);
  });

  it('holds 256 connections, and serves again when one has ended', async () => {
    const world = await open();
    const many = Array.from({ length: 1_000 }, () => world.link().resume());
    await until(() => expect(many.filter((one) => one.readableEnded || one.closed)).toHaveLength(744));
    for (const one of many) one.destroy();
    await until(async () =>
      expect(statusOf(await world.say(get('http://good.test/', 'Host: good.test')))).toBe(200),
    );
  });

  it('a host is left when its client went while it was connected', async () => {
    const remotes: Socket[] = [];
    const client = { leave: () => {} };
    const world = await open({
      dial: (...to) => {
        client.leave();
        const remote = world.dial(...to);
        remotes.push(remote);
        return remote;
      },
    });
    const socket = world.link();
    client.leave = () => socket.destroy();
    socket.write(connectTo('good.test:5432'));
    await until(() => expect(remotes.map(({ closed }) => closed)).toEqual([true]));
  });

  it('a host is left when its client had gone before it was connected', async () => {
    const remote = new Socket();
    const leave = Promise.withResolvers<Socket>();
    const world = await open({
      into: async () => async () => {
        const client = (await leave.promise).destroy();
        await once(client, 'close');
        return remote;
      },
    });
    const server = createServer((client) => {
      world.egress.accept(client);
      leave.resolve(client);
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    onTestFinished(() => void server.close());
    // It listens on a TCP port.
    const { port } = server.address() as AddressInfo;
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    socket.write(connectTo('good.test:5432'));
    await until(() => expect(remote.destroyed).toBe(true));
  });

  it('close ends what is open', async () => {
    const world = await open({ clock: createFakeClock() });
    const { socket } = await through(world, 'good.test:5432', []);
    const waiting = await through(world, 'good.test:443', []);
    world.egress.close();
    await Promise.all([socket, waiting.socket].map(ended));
  });

  it('a host is left when its client goes', async () => {
    const remotes: Socket[] = [];
    const world = await open({
      dial: (...to) => {
        const remote = world.dial(...to);
        remotes.push(remote);
        return remote;
      },
    });
    const { socket, text } = await through(world, 'good.test:5432', [Buffer.from('x')]);
    await until(() => expect(text()).toBe('ready x'));
    socket.resetAndDestroy();
    await until(() => expect(remotes.map(({ closed }) => closed)).toEqual([true]));
  });

  it('a connection has ten seconds', async () => {
    const clock = createFakeClock();
    const socket = new Socket();
    const refused = expect(whenConnected(socket, clock)).rejects.toMatchObject({ reason: 'unreachable' });
    clock.advance(9_999);
    expect(socket.destroyed).toBe(false);
    clock.advance(1);
    await refused;
  });
});

it('another address is tried where one does not answer', async () => {
  const server = createServer((link) => void link.end('second'));
  await new Promise<void>((done) => server.listen(0, '127.0.0.2', done));
  onTestFinished(() => void server.close());
  // It listens on a TCP port.
  const { port } = server.address() as AddressInfo;
  const socket = await whenConnected(dialDirectly(['127.0.0.1', '127.0.0.2'], port), systemClock);
  expect(String(await once(socket, 'data'))).toBe('second');
  socket.destroy();
});
