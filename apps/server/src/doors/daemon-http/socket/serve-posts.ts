import {
  readSocketPath,
  socketLimits,
  type SocketPost,
  type SocketRequest,
} from '@drawbridge/contracts/link/socket';
import type { FastifyRequest } from 'fastify';
import type { RawData, WebSocket } from 'ws';
import { errors } from '../../../errors.ts';
import type { DaemonCredentials } from '../../../gateway/index.ts';
import { toErrorReply } from '../../../http/index.ts';
import type { DaemonPost } from '../daemon-post.ts';
import { readBody, readMessage } from './read-message.ts';
import type { SocketStream } from './socket-stream.ts';

const unsupported = 1003;
const policy = 1008;

interface Open {
  socket: WebSocket;
  stream: Pick<SocketStream, 'answer' | 'acknowledge'>;
  credentials: DaemonCredentials;
  request: Pick<FastifyRequest, 'log'>;
}

type Posts = Readonly<Record<SocketPost, Pick<DaemonPost, 'answer'>>>;

// By default a socket gives one Buffer for each message.
const bytesOf = (data: RawData): Buffer => data as Buffer;

/** A larger message is acknowledged at once: the daemon holds a place for a large result until then. */
const promptBytes = 16 * 1024;

/** A message of posts, as far as each of them needs to know it. */
interface Origin {
  isChecked: boolean;
  isPrompt: boolean;
}

/** Answers the posts of one socket, each as it would be answered by HTTP. */
export const servePosts = (posts: Posts, { socket, stream, credentials, request }: Open) => {
  let open = 0;
  let openBytes = 0;

  const answerTo = async ({ id, path, body }: SocketRequest, isPrompt: boolean): Promise<void> => {
    const found = readSocketPath(path);
    if (found === undefined) throw errors.notFound();
    const { post, requestId } = found;
    const reply = await posts[post].answer({ credentials, body, params: { requestId }, log: request.log });
    const mayWait = !isPrompt && (post === 'response' || post === 'responses');
    const send = mayWait ? stream.acknowledge : stream.answer;
    send({ id, status: 200, body: reply });
  };

  const serve = async (post: SocketRequest, { isChecked, isPrompt }: Origin) => {
    open += 1;
    try {
      await answerTo({ ...post, body: isChecked ? post.body : readBody(post.body) }, isPrompt);
    } catch (cause) {
      const error = cause instanceof Error ? cause : errors.internal({ cause });
      stream.answer({ id: post.id, ...toErrorReply(error, request) });
    }
    open -= 1;
  };

  /** Nothing more is read while so much is being answered. */
  const hold = (bytes: number) => {
    openBytes += bytes;
    if (openBytes > socketLimits.maxMessageBytes) socket.pause();
    else if (socket.isPaused) socket.resume();
  };

  socket.on('message', (data, isBinary) => {
    const bytes = bytesOf(data);
    const message = isBinary ? undefined : readMessage(bytes);
    if (message === undefined) return socket.close(unsupported);
    const { requests, isChecked } = message;
    if (open + requests.length > socketLimits.maxOpenPosts) return socket.close(policy);
    hold(bytes.length);
    const origin = { isChecked, isPrompt: bytes.length >= promptBytes };
    void Promise.all(requests.map((post) => serve(post, origin))).then(() => hold(-bytes.length));
  });
};
