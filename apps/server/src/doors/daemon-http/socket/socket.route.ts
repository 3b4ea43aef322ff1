import websocket from '@fastify/websocket';
import {
  readSocketPath,
  socketLimits,
  socketPath,
  socketRequest,
  type SocketRequest,
} from '@drawbridge/contracts/link/socket';
import type { Clock } from '@drawbridge/kit';
import type { EventEmitter } from 'node:events';
import type { Server } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { RawData, WebSocket } from 'ws';
import { z } from 'zod';
import { errors } from '../../../errors.ts';
import type { DaemonCredentials, DaemonSession } from '../../../gateway/index.ts';
import { toErrorReply, type Quota } from '../../../http/index.ts';
import type { DaemonPost } from '../daemon-post.ts';
import { daemonCredentials } from '../key.ts';
import type { DaemonPosts } from '../posts.ts';
import { createSocketStream, type SocketStream } from './socket-stream.ts';

const closeTimeoutMs = 1_000;
const unsupported = 1003;
const policy = 1008;

interface Needs {
  daemon: DaemonSession;
  posts: DaemonPosts;
  clock: Clock;
  streams: Quota;
  /** Emits `upgrade` for the requests of this route. */
  upgrades: EventEmitter;
}

const message = z.array(socketRequest).min(1);

const readMessage = (data: RawData): SocketRequest[] | undefined => {
  try {
    return message.parse(JSON.parse(String(data)));
  } catch {
    return undefined;
  }
};

interface Open {
  socket: WebSocket;
  stream: SocketStream;
  credentials: DaemonCredentials;
  request: FastifyRequest;
}

/** Answers the posts of one socket, each as it would be answered by HTTP. */
const servePosts = (posts: DaemonPosts, { socket, stream, credentials, request }: Open) => {
  let open = 0;

  const answerOf = async ({ path, body }: SocketRequest): Promise<object> => {
    const found = readSocketPath(path);
    if (found === undefined) throw errors.notFound();
    const { post, requestId } = found;
    const { answer }: DaemonPost = posts[post];
    return answer({ credentials, body, params: { requestId }, log: request.log });
  };

  const serve = async (post: SocketRequest) => {
    open += 1;
    try {
      stream.answer({ id: post.id, status: 200, body: await answerOf(post) });
    } catch (cause) {
      const error = cause instanceof Error ? cause : errors.internal({ cause });
      stream.answer({ id: post.id, ...toErrorReply(error, request) });
    }
    open -= 1;
  };

  socket.on('message', (data, isBinary) => {
    const requests = isBinary ? undefined : readMessage(data);
    if (requests === undefined) return socket.close(unsupported);
    if (open + requests.length > socketLimits.maxOpenPosts) return socket.close(policy);
    for (const post of requests) void serve(post);
  });
};

/** `GET socket`: the stream and the small posts of a machine on one WebSocket. */
export const socketRoute = async (
  app: FastifyInstance,
  { daemon, posts, clock, streams, upgrades }: Needs,
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
  app.route({
    method: 'GET',
    url: socketPath,
    // Before 101: a key that does not hold is refused with its status.
    onRequest: async (request) => {
      await daemon.userOf(daemonCredentials(request, { query: false }));
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
      const credentials = daemonCredentials(request, { query: false });
      const leave = streams.acquire(request.ip);
      socket.once('close', leave);
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
