import { daemonSurface } from '@drawbridge/contracts';
import type { FastifyInstance } from 'fastify';
import type { DaemonSide } from '../../gateway/index.ts';
import { gatewayProof } from './key.ts';
import type { Mount } from './mount.ts';

/** `POST disconnect`: the machine ends its pairing. Specification 7. */
export const disconnectRoute = (app: FastifyInstance, mount: Mount, { daemon }: { daemon: DaemonSide }) =>
  app.post(daemonSurface.disconnect.path, async (request) => {
    await daemon.disconnect(gatewayProof(request, { query: false }));
    return mount.wrap({ ok: true });
  });
