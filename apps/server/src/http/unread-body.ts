import type { IncomingMessage } from 'node:http';
import type { Clock } from '@drawbridge/kit';
import type { FastifyInstance, onSendHookHandler } from 'fastify';

export const unreadLimits = {
  /** Bodies that are read for nobody at once; beyond that an answer goes out without waiting. */
  atOnce: 64,
  /** After that the answer goes out, whatever is still to come. */
  ms: 10_000,
};

interface UnreadBodyNeeds {
  clock: Clock;
  /** The most that is read of one body, in bytes. One that says it is longer is not read at all. */
  maxBytes: number;
}

const declaredBytes = ({ headers }: IncomingMessage): number =>
  headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : 1;

/**
 * Reads what is left of a request's body before its answer goes out, and drops it. Who sends a body, such as a proxy,
 * may not look at the answer before all of it is sent, and a connection that is closed meanwhile takes the answer with
 * it. A connection whose body is not read to its end is closed with the answer.
 */
export const readUnreadBodies = (app: FastifyInstance, { clock, maxBytes }: UnreadBodyNeeds): void => {
  let reading = 0;

  const readOut = (raw: IncomingMessage, finished: () => void) => {
    let left = maxBytes;
    const end = () => {
      giveUp();
      raw.off('data', drop).off('end', end).off('close', end);
      reading -= 1;
      finished();
    };
    const drop = (chunk: Buffer) => {
      left -= chunk.length;
      if (left <= 0) end();
    };
    reading += 1;
    const giveUp = clock.after(unreadLimits.ms, end);
    raw.on('data', drop).once('end', end).once('close', end).resume();
  };

  // Without a promise: this runs before every answer.
  app.addHook('onSend', (...[{ raw }, reply, , done]: Parameters<onSendHookHandler>) => {
    const bytes = raw.complete || raw.destroyed ? 0 : declaredBytes(raw);
    if (bytes === 0) return done();
    const answer = () => {
      if (!raw.complete) reply.header('connection', 'close');
      done();
    };
    if (bytes > maxBytes || reading >= unreadLimits.atOnce) return answer();
    readOut(raw, answer);
  });
};
