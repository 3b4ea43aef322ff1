import { z } from 'zod';
import { daemonPaths } from '../daemon-paths.ts';

/**
 * `GET socket`, for a server with that feature: a WebSocket in place of `events` and of small posts. A text
 * message is a JSON array of the entries below.
 */
export const socketPath = '/socket';

/** In bytes of JSON. A larger post goes by HTTP; more open posts, or a larger message, end the socket. */
export const socketLimits = {
  maxPostBytes: 256 * 1024,
  maxMessageBytes: 1024 * 1024,
  maxOpenPosts: 256,
} as const;

/** The posts that a socket takes. */
export const socketPosts = [
  'response',
  'responses',
  'progress',
  'probe',
  'rules',
  'processes',
  'runtimes',
  'settled',
] as const;
export type SocketPost = (typeof socketPosts)[number];

/** From the daemon: a post, with the path and the body that it has by HTTP. `id` rises with each. */
export const socketRequest = z.object({
  id: z.number().int().positive(),
  path: z.string().max(256),
  body: z.unknown(),
});
export type SocketRequest = z.infer<typeof socketRequest>;

/** From the server: the answer to a post, with the status that it has by HTTP. */
export const socketAnswer = z.object({
  id: z.number().int().positive(),
  status: z.number().int(),
  body: z.unknown(),
});
export type SocketAnswer = z.infer<typeof socketAnswer>;

/** From the server: `event` is a `DaemonEvent`, as on the stream. */
export const socketEvent = z.object({ event: z.unknown() });

const byName: ReadonlyMap<string, SocketPost> = new Map(socketPosts.map((name) => [name, name]));

/** The post of a path and the call in it; undefined for any other path. */
export const readSocketPath = (path: string): { post: SocketPost; requestId?: string } | undefined => {
  const [start, name = '', requestId, more] = path.split('/');
  const post = byName.get(name);
  if (start !== '' || post === undefined || more !== undefined) return undefined;
  if (daemonPaths[post].includes(':') !== (requestId !== undefined)) return undefined;
  return { post, ...(requestId !== undefined && { requestId }) };
};
