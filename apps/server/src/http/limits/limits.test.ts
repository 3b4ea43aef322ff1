import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import { systemClock } from '@drawbridge/kit';
import Fastify from 'fastify';
import { expect, it, onTestFinished } from 'vitest';
import { configFrom } from '../../config.ts';
import { createLimits, networkOf } from './limits.ts';

it.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::ffff:c000:201', '192.0.2.1'],
  ['2001:db8:0:1::1', '2001:db8:0:1::/64'],
  ['2001:DB8::1:ffff:ffff:ffff:ffff', '2001:db8:0:1::/64'],
  ['2001:db8:0:2::1', '2001:db8:0:2::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['Unknown', 'unknown'],
])('a request of %s counts for %s', (address, network) => {
  expect(networkOf(address)).toBe(network);
});

it('a client that has left before its request is counted is no fault of the server', async () => {
  const limits = createLimits({ clock: systemClock, config: configFrom({}), shared: null });
  const counted = Promise.withResolvers<unknown>();
  const app = Fastify();
  app.get('/', async (request, reply) => {
    const { socket } = request;
    const closed = once(socket, 'close');
    socket.destroy();
    await closed;
    limits.signIn.count(request, reply).then(counted.resolve, counted.resolve);
    return reply.hijack();
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  onTestFinished(() => app.close());
  // The server's address is one of a port.
  const client = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
  client.write('GET / HTTP/1.1\r\nhost: here\r\n\r\n');
  expect(await counted.promise).toMatchObject({ code: 'CANCELLED' });
});
