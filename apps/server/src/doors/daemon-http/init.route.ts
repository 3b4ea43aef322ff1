import { daemonSurface, sessionKey } from '@drawbridge/contracts';
import { CodedError } from '@drawbridge/kit';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { DaemonSide } from '../../gateway/index.ts';
import type { Limits, Places } from '../../http/index.ts';
import { gatewayKey } from './key.ts';
import type { Mount } from './mount.ts';

const megabyte = 1024 * 1024;
/** What a daemon that knows nothing better waits, in seconds. */
const retryAfter = '2';

/** `POST init`: a machine says what it offers; a pairing token becomes a session key. Specification 3 and 4.1. */
export const initRoute = (
  app: FastifyInstance,
  mount: Mount,
  { daemon, limits, inits }: { daemon: DaemonSide; limits: Limits; inits: Places },
) => {
  /** Only once the request is whole: whoever sends slowly holds no place. */
  const enter = (reply: FastifyReply) => {
    try {
      return inits.take('all');
    } catch (error) {
      reply.header('retry-after', retryAfter);
      throw error;
    }
  };

  app.post(daemonSurface.init.path, { bodyLimit: megabyte }, async (request, reply) => {
    const key = gatewayKey(request, { query: false });
    const limit = sessionKey.safeParse(key).success ? limits.session : limits.pairing;
    await limit.check(request, reply);
    const body = daemonSurface.init.body.parse(request.body);
    const leave = enter(reply);
    try {
      return mount.wrap(await daemon.init(key, body));
    } catch (error) {
      if (error instanceof CodedError && error.code === 'FORBIDDEN') await limit.count(request, reply);
      throw error;
    } finally {
      leave();
    }
  });
};
