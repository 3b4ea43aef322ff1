import { daemonSurface } from '@drawbridge/contracts';
import { CodedError } from '@drawbridge/kit';
import type { FastifyInstance } from 'fastify';
import type { DaemonSide } from '../../gateway/index.ts';
import type { Limits } from '../../http/index.ts';
import { gatewayKey } from './key.ts';
import type { Mount } from './mount.ts';

const megabyte = 1024 * 1024;

/** `POST init`: a machine says what it offers; a pairing token becomes a session key. Specification 3 and 4.1. */
export const initRoute = (
  app: FastifyInstance,
  mount: Mount,
  { daemon, limits }: { daemon: DaemonSide; limits: Limits },
) =>
  app.post(daemonSurface.init.path, { bodyLimit: megabyte }, async (request, reply) => {
    await limits.pairing.check(request, reply);
    const key = gatewayKey(request, { query: false });
    const body = daemonSurface.init.body.parse(request.body);
    try {
      return mount.wrap(await daemon.init(key, body));
    } catch (error) {
      if (error instanceof CodedError && error.code === 'FORBIDDEN')
        await limits.pairing.count(request, reply);
      throw error;
    }
  });
