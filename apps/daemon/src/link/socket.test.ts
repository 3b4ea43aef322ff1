import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { createFakeClock } from '@drawbridge/kit';
import { expect, it, vi } from 'vitest';
import { WebSocketServer, type WebSocket } from 'ws';
import { later } from '../../test/support/link-fixture.ts';
import { createHttp, createOpenLink } from './index.ts';
import { createSocketPosts } from './socket-posts.ts';

const until = (assertion: () => void) => vi.waitFor(assertion, { timeout: 30_000 });

type Upgrade = (request: IncomingMessage, socket: Socket, head: Buffer) => void;

/** A server with an event stream, and with what a test makes of the request for a WebSocket. */
const startServer = async (upgrade: Upgrade) => {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(': hello\n\n');
  });
  server.on('upgrade', upgrade);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  later(() => {
    server.closeAllConnections();
    server.close();
  });
  // It listens on a port, so its address is an object.
  const { port } = server.address() as AddressInfo;
  return new URL(`http://127.0.0.1:${port}`);
};

const sockets = new WebSocketServer({ noServer: true });
const accept =
  (greet: (socket: WebSocket) => void): Upgrade =>
  (request, socket, head) =>
    sockets.handleUpgrade(request, socket, head, greet);

const open = async (upgrade: Upgrade, headers: Record<string, string> = {}) => {
  const url = await startServer(upgrade);
  const clock = createFakeClock();
  const http = createHttp(url);
  later(http.close);
  const posts = createSocketPosts(clock);
  const said: unknown[][] = [];
  const openLink = createOpenLink({
    url,
    clock,
    http,
    posts,
    way: 'socket',
    hasSocket: () => true,
    headers: () => headers,
    streamRequest: () => ({ path: '/events', headers }),
    eventRead: () => {},
  });
  const again = () => {
    const close = openLink('sess_x', {
      tried: (way) => said.push(['tried', way]),
      opened: (way) => said.push(['opened', way]),
      event: ({ type }) => said.push([type]),
      failed: ({ sentence }) => said.push(['failed', sentence]),
    });
    later(close);
  };
  again();
  const saying = (...expected: unknown[][]) => until(() => expect(said).toEqual(expected));
  return { clock, posts, said, saying, again };
};

const probe = '[{"event":{"type":"probe","payload":{"id":1}}}]';
const fellBack = [
  ['tried', 'socket'],
  ['tried', 'stream'],
  ['opened', 'stream'],
];

it('opens with the first message', async () => {
  const { saying } = await open(accept((socket) => socket.send(probe)));
  await saying(['tried', 'socket'], ['opened', 'socket'], ['probe']);
});

it.each<[string, Upgrade]>([
  ['is refused', (_request, socket) => socket.end('HTTP/1.1 426 Upgrade Required\r\n\r\n')],
  ['is cut', (_request, socket) => socket.destroy()],
  ['ends before a message', accept((socket) => socket.close())],
  ['says what no server of ours says', accept((socket) => socket.send('<h1>Sign in to the hotel</h1>'))],
])('falls back to the stream at once where the socket %s', async (_, upgrade) => {
  const { clock, saying } = await open(upgrade);
  await saying(...fellBack);
  // Of the stream alone: nothing of the socket waits.
  expect(clock.waiting()).toBe(1);
});

it('falls back to the stream after 5 s where the socket opens and nothing comes', async () => {
  let isOpen = false;
  const { clock, saying } = await open(accept(() => (isOpen = true)));
  await until(() => expect(isOpen).toBe(true));
  await saying(['tried', 'socket']);
  clock.advance(5_000);
  await saying(...fellBack);
});

it('tries a socket that has worked once more where the server is late, then falls back to the stream', async () => {
  const greetings: ((socket: WebSocket) => void)[] = [(socket) => socket.send(probe, () => socket.close())];
  let opened = 0;
  const { clock, said, again } = await open(
    accept((socket) => {
      opened += 1;
      greetings.shift()?.(socket);
    }),
  );
  const late = async (times: number) => {
    again();
    await until(() => expect(opened).toBe(times));
    clock.advance(5_000);
  };
  const worked = [
    ['tried', 'socket'],
    ['opened', 'socket'],
    ['probe'],
    ['failed', 'the server closed the connection'],
  ];
  await until(() => expect(said).toEqual(worked));
  await late(2);
  const lateOnce = [...worked, ['tried', 'socket'], ['failed', 'no answer in time']];
  expect(said).toEqual(lateOnce);
  await late(3);
  await until(() => expect(said).toEqual([...lateOnce, ...fellBack]));
});

it('falls back to the stream where a socket cannot be made', async () => {
  const { said } = await open(() => {}, { 'x-gateway-key': 'not\na header' });
  await until(() => expect(said.slice(0, 2)).toEqual(fellBack.slice(0, 2)));
});

it('a post without an answer for 60 s ends as by HTTP, and no other', async () => {
  const received: unknown[] = [];
  let server: WebSocket | undefined;
  const { clock, posts, saying } = await open(
    accept((socket) => {
      server = socket;
      socket.send(probe);
      socket.on('message', (data) => received.push(...JSON.parse(String(data))));
    }),
  );
  await saying(['tried', 'socket'], ['opened', 'socket'], ['probe']);
  const ends: string[] = [];
  const send = (path: string) =>
    posts.post(path, '{}')?.catch(({ message }) => ends.push(`${path} ${message}`));
  void send('/response/r1');
  clock.advance(30_000);
  void send('/response/r2');
  await until(() => expect(received).toHaveLength(2));
  server?.ping();
  await new Promise((resolve) => server?.once('pong', resolve));
  clock.advance(30_000);
  await until(() => expect(ends).toEqual(['/response/r1 no answer in time']));
});
