import { daemonSurface } from '@drawbridge/contracts/daemon-surface';
import type { FastifyInstance } from 'fastify';
import type { DaemonSession } from '../../gateway/index.ts';
import { daemonCredentials } from './key.ts';
import type { Mount } from './mount.ts';

/** `POST disconnect`: the machine ends its pairing (specification 7), or goes offline and keeps it. */
export const disconnectRoute = (app: FastifyInstance, mount: Mount, { daemon }: { daemon: DaemonSession }) =>
  app.post(daemonSurface.disconnect.path, async (request) => {
    const proof = daemonCredentials(request, { query: false });
    const body = daemonSurface.disconnect.body.parse(request.body);
    if (body?.keepSession === true) await daemon.leave(proof);
    else await daemon.disconnect(proof);
    return mount.wrap({ ok: true });
  });
