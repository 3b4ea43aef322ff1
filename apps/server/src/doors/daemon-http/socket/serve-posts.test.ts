import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { socketLimits } from '@drawbridge/contracts/link/socket';
import { createFakeClock } from '@drawbridge/kit';
import { fastify } from 'fastify';
import { expect, it, onTestFinished } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { servePosts } from './serve-posts.ts';
import { createSocketStream } from './socket-stream.ts';

const startSockets = async () => {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const client = new WebSocket(`ws://127.0.0.1:${port}`);
  onTestFinished(() => client.terminate());
  const connected = once(server, 'connection');
  await once(client, 'open');
  // Its first argument is the socket.
  const [socket] = (await connected) as [WebSocket];
  return { client, socket };
};

it('reads nothing more while a mebibyte of posts is being answered', async () => {
  const { client, socket } = await startSockets();
  const stored = Promise.withResolvers<object>();
  let begun = 0;
  const post = {
    answer: () => {
      begun += 1;
      return stored.promise;
    },
  };
  const posts = {
    response: post,
    responses: post,
    progress: post,
    probe: post,
    rules: post,
    processes: post,
    runtimes: post,
    settled: post,
  };
  const answered: number[] = [];
  const take = ({ id }: { id: number }) => answered.push(id) > 0;
  const stream = { answer: take, acknowledge: take };
  servePosts(posts, { socket, stream, credentials: 'sess_x', request: { log: fastify().log } });

  const body = 'x'.repeat(socketLimits.maxPostBytes - 1_000);
  const ids = Array.from({ length: 24 }, (_, at) => at + 1);
  for (const id of ids) client.send(JSON.stringify([{ id, path: '/response/r1', body }]));
  await expect.poll(() => socket.isPaused).toBe(true);
  expect(begun).toBeLessThan(8);
  stored.resolve({ ok: true });
  await expect.poll(() => answered).toHaveLength(ids.length);
});

it('an acknowledgement goes with an event, with three others, or after 2 ms; a refusal and a large one at once', async () => {
  const { client, socket } = await startSockets();
  const clock = createFakeClock();
  const stream = createSocketStream(socket, clock);
  const pings = clock.waiting();
  const post = { answer: async () => ({ ok: true }) };
  const refusing = { answer: () => Promise.reject(new Error('no')) };
  const posts = {
    response: post,
    responses: refusing,
    progress: post,
    probe: post,
    rules: post,
    processes: post,
    runtimes: post,
    settled: post,
  };
  servePosts(posts, { socket, stream, credentials: 'sess_x', request: { log: fastify().log } });
  const messages: (number | 'event')[][] = [];
  client.on('message', (data) => {
    const entries = JSON.parse(String(data)) as { id?: number }[];
    messages.push(entries.map(({ id }) => id ?? 'event'));
  });
  const send = (path: string, ...ids: number[]) => {
    for (const id of ids) client.send(JSON.stringify([{ id, path, body: {} }]));
  };
  const sendLarge = (path: string, id: number) =>
    client.send(JSON.stringify([{ id, path, body: 'x'.repeat(16 * 1024) }]));
  const waits = () => expect.poll(clock.waiting).toBe(pings + 1);

  send('/response/r1', 1);
  await waits();
  stream.stream.send(1, { type: 'probe', payload: { id: 1 } });
  await expect.poll(() => messages).toEqual([[1, 'event']]);
  send('/response/r1', 2, 3, 4, 5);
  await expect.poll(() => messages.slice(1)).toEqual([[2, 3, 4, 5]]);
  send('/response/r1', 6);
  await waits();
  expect(messages).toHaveLength(2);
  clock.advance(2);
  await expect.poll(() => messages.slice(2)).toEqual([[6]]);
  send('/responses', 7);
  await expect.poll(() => messages.slice(3)).toEqual([[7]]);
  sendLarge('/response/r1', 8);
  await expect.poll(() => messages.slice(4)).toEqual([[8]]);
  expect(clock.waiting()).toBe(pings);
});
