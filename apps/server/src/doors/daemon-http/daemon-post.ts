import type { FastifyRequest } from 'fastify';
import type { DaemonCredentials } from '../../gateway/index.ts';

/** One post of a machine as it came; `log` gets what goes wrong inside. */
export interface PostRequest {
  credentials: DaemonCredentials;
  body: unknown;
  params: unknown;
  log: FastifyRequest['log'];
}

/** What a machine can post, by HTTP or on its socket. Throws coded errors and those of zod. */
export interface DaemonPost {
  /** The largest body, in bytes; that of the server when left out. */
  bodyLimit?: number;
  answer(request: PostRequest): Promise<object>;
}
