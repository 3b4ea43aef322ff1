import type { Clock } from '@drawbridge/kit';
import type { FastifyInstance } from 'fastify';

/** After this time the answer goes out without the rest of the body. */
const longestDrainMs = 10_000;

/**
 * Drains the rest of a request's body before its answer goes out: a sender such as a proxy may read only
 * after it has sent all, and closing earlier discards the answer.
 */
export const drainBodies = (app: FastifyInstance, clock: Clock): void => {
  // Without a promise: this runs before every answer.
  app.addHook('onSend', ({ raw }, reply, _payload, done) => {
    const { 'transfer-encoding': encoding, 'content-length': length = '0' } = raw.headers;
    if (raw.complete || raw.destroyed || (encoding === undefined && length === '0')) return done();
    const finish = () => {
      cancel();
      raw.off('end', finish).off('close', finish);
      if (!raw.complete) reply.header('connection', 'close');
      done();
    };
    const cancel = clock.after(longestDrainMs, finish);
    raw.once('end', finish).once('close', finish).resume();
  });
};
