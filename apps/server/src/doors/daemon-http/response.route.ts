import { daemonSurface } from '@drawbridge/contracts/daemon-surface';
import type { Collector } from '@drawbridge/kit/node';
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import { errors } from '../../errors.ts';
import type { DaemonSession } from '../../gateway/index.ts';
import type { DaemonPost } from './daemon-post.ts';
import { handlePost } from './handle-post.ts';
import { daemonCredentials } from './key.ts';
import { largeBytes, type LargeResultAdmission } from './large-result-admission.ts';
import type { Mount } from './mount.ts';

export interface ResponseNeeds {
  daemon: Pick<DaemonSession, 'userOf'>;
  post: DaemonPost;
  resultMaxBytes: number;
  largeResults: LargeResultAdmission;
  collector: Collector;
}

/** `POST response/:requestId`: a call's result. Specification 3 and 6. */
export const responseRoute = (app: FastifyInstance, mount: Mount, needs: ResponseNeeds) => {
  const { daemon, post, resultMaxBytes, largeResults, collector } = needs;

  const enter = async (request: FastifyRequest, reply: FastifyReply, bytes: number) => {
    if (bytes > resultMaxBytes) throw errors.tooLarge();
    const left = new AbortController();
    let leave = () => left.abort(errors.cancelled());
    reply.raw.once('close', () => leave());
    const userId = await daemon.userOf(daemonCredentials(request, { query: false }));
    const giveBack = await largeResults.enter(userId, left.signal);
    // It may have left between the two.
    if (left.signal.aborted) return giveBack();
    leave = () => {
      void collector.dropped(bytes).then(giveBack);
    };
  };

  /** Before the body is read: until a place is free it stays where it is, on the machine. */
  const onRequest: onRequestHookHandler = (request, reply, done) => {
    const bytes = Number(request.headers['content-length'] ?? resultMaxBytes);
    if (bytes < largeBytes) return done();
    enter(request, reply, bytes).then(() => done(), done);
  };

  app.post(
    daemonSurface.response.path,
    { bodyLimit: resultMaxBytes, onRequest },
    handlePost(mount, post.answer),
  );
};
