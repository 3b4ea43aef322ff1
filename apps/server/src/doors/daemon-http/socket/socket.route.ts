import websocket from '@fastify/websocket';
import { socketLimits, socketPath } from '@drawbridge/contracts/link/socket';
import type { Clock } from '@drawbridge/kit';
import type { EventEmitter } from 'node:events';
import type { Server } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { errors } from '../../../errors.ts';
import type { DaemonSession } from '../../../gateway/index.ts';
import type { Quota, Unread } from '../../../http/index.ts';
import { daemonCredentials } from '../key.ts';
import type { DaemonPosts } from '../posts.ts';
import { servePosts } from './serve-posts.ts';
import { createSocketStream } from './socket-stream.ts';

const closeTimeoutMs = 1_000;
const policy = 1008;

interface Needs {
  daemon: DaemonSession;
  posts: DaemonPosts;
  clock: Clock;
  streams: Quota;
  unread: Pick<Unread, 'add'>;
  /** Emits `upgrade` for the requests of this route. */
  upgrades: EventEmitter;
}

/** `GET socket`: the stream and the small posts of a machine on one WebSocket. */
export const socketRoute = async (
  app: FastifyInstance,
  { daemon, posts, clock, streams, unread, upgrades }: Needs,
) => {
  const options = {
    // The plugin only listens to its `upgrade`.
    server: upgrades as Server,
    maxPayload: socketLimits.maxMessageBytes,
    closeTimeout: closeTimeoutMs,
    perMessageDeflate: false,
  };
  await app.register(websocket, {
    errorHandler: (_error, socket) => socket.terminate(),
    preClose: (done) => done(),
    options,
  });
  const userOf = new WeakMap<FastifyRequest, string>();
  app.route({
    method: 'GET',
    url: socketPath,
    // Before 101: a key that does not hold, and one socket too many, are refused with their status.
    onRequest: async (request) => {
      userOf.set(request, await daemon.userOf(daemonCredentials(request, { query: false })));
      const { socket } = request.raw;
      if (request.ws && !socket.destroyed) socket.once('close', streams.acquire(request.ip));
    },
    handler: async () => {
      throw errors.badRequest({ message: 'Open a WebSocket here' });
    },
    wsHandler: (socket, request) => {
      let closed = () => {};
      let isLeft = false;
      socket.once('close', () => {
        isLeft = true;
        closed();
      });
      const counted = unread.add(userOf.get(request) ?? '', {
        unread: () => socket.bufferedAmount,
        cut: () => socket.terminate(),
      });
      socket.once('close', counted.remove);
      const credentials = daemonCredentials(request, { query: false });
      const stream = createSocketStream(socket, clock);
      servePosts(posts, { socket, stream, credentials, request });
      daemon.openStream(credentials, stream.stream).then(
        (detach) => {
          closed = detach;
          if (isLeft) detach();
        },
        () => socket.close(policy),
      );
    },
  });
};
