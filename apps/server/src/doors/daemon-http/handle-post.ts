import type { FastifyRequest } from 'fastify';
import type { DaemonPost } from './daemon-post.ts';
import { daemonCredentials } from './key.ts';
import type { Mount } from './mount.ts';

/** Answers a post that came by HTTP, in the envelope of its mount. */
export const handlePost =
  (mount: Mount, answer: DaemonPost['answer']) =>
  async (request: FastifyRequest): Promise<object> => {
    const credentials = daemonCredentials(request, { query: false });
    const { body, params, log } = request;
    return mount.wrap(await answer({ credentials, body, params, log }));
  };
