import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { startRelay } from './relay.ts';

it('what two holds have kept back arrives once, after the second release', async () => {
  const echo = createServer((socket) => socket.pipe(socket)).listen(0, '127.0.0.1');
  await once(echo, 'listening');
  const relay = await startRelay((echo.address() as AddressInfo).port);
  const client = connect(relay.port, '127.0.0.1').setEncoding('utf8');
  onTestFinished(() => {
    client.destroy();
    relay.close();
    echo.close();
  });
  let received = '';
  client.on('data', (text) => (received += text));
  const say = (text: string) => new Promise((resolve) => client.write(text, resolve));
  await say('a');
  await expect.poll(() => received).toBe('a');
  relay.hold();
  relay.hold();
  await say('b');
  relay.release();
  await say('c');
  expect(received).toBe('a');
  relay.release();
  await expect.poll(() => received).toBe('abc');
  await say('d');
  await expect.poll(() => received).toBe('abcd');
});
