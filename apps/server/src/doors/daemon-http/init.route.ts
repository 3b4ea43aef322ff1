import { daemonSurface } from '@drawbridge/contracts/daemon-surface';
import { errorTable } from '@drawbridge/contracts/errors';
import { sessionKey } from '@drawbridge/contracts/ids';
import { CodedError } from '@drawbridge/kit';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { DaemonSession } from '../../gateway/index.ts';
import type { Limits, Quota } from '../../http/index.ts';
import { gatewayKey } from './key.ts';
import type { Mount } from './mount.ts';

/** How a key that does not hold is refused: each counts against its address. */
const refusals = new Set<string>([
  errorTable.forbidden.code,
  errorTable.tokenUsed.code,
  errorTable.tokenExpired.code,
  errorTable.pairingEnded.code,
]);
const megabyte = 1024 * 1024;
/** What a daemon that knows nothing better waits, in seconds. */
const retryAfter = '2';

/** `POST init`: registers a machine and swaps a pairing token for a session key. Specification 3 and 4.1. */
export const initRoute = (
  app: FastifyInstance,
  mount: Mount,
  { daemon, limits, inits }: { daemon: Pick<DaemonSession, 'init'>; limits: Limits; inits: Quota },
) => {
  /** Only once the request is whole: a slow sender does not count. */
  const enter = (reply: FastifyReply) => {
    try {
      return inits.acquire('all');
    } catch (error) {
      reply.header('retry-after', retryAfter);
      throw error;
    }
  };

  app.post(daemonSurface.init.path, { bodyLimit: megabyte }, async (request, reply) => {
    const key = gatewayKey(request, { query: false });
    const limit = sessionKey.safeParse(key).success ? limits.session : limits.pairing;
    const body = daemonSurface.init.body.parse(request.body);
    const leave = enter(reply);
    try {
      return mount.wrap(await daemon.init(key, body));
    } catch (error) {
      // Failures alone count: what others try from the same address locks no honest machine out.
      if (error instanceof CodedError && refusals.has(error.code)) await limit.count(request, reply);
      throw error;
    } finally {
      leave();
    }
  });
};
