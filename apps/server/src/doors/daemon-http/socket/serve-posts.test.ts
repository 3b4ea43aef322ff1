import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { socketLimits } from '@drawbridge/contracts/link/socket';
import { createDeferred } from '@drawbridge/kit';
import { fastify } from 'fastify';
import { expect, it, onTestFinished } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { servePosts } from './serve-posts.ts';

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
  const stored = createDeferred<object>();
  let begun = 0;
  const post = {
    answer: () => {
      begun += 1;
      return stored.promise;
    },
  };
  const posts = { response: post, responses: post, progress: post, probe: post, rules: post, settled: post };
  const answered: number[] = [];
  const stream = { answer: ({ id }: { id: number }) => answered.push(id) > 0 };
  servePosts(posts, { socket, stream, credentials: 'sess_x', request: { log: fastify().log } });

  const body = 'x'.repeat(socketLimits.maxPostBytes - 1_000);
  const ids = Array.from({ length: 24 }, (_, at) => at + 1);
  for (const id of ids) client.send(JSON.stringify([{ id, path: '/response/r1', body }]));
  await expect.poll(() => socket.isPaused).toBe(true);
  expect(begun).toBeLessThan(8);
  stored.resolve({ ok: true });
  await expect.poll(() => answered).toHaveLength(ids.length);
});
