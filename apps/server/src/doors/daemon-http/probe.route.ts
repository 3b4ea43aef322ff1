import { daemonSurface } from '@drawbridge/contracts/daemon-surface';
import type { FastifyInstance } from 'fastify';
import type { DaemonSession } from '../../gateway/index.ts';
import { daemonCredentials } from './key.ts';
import type { Mount } from './mount.ts';

/** `POST probe`: the reader of the stream is there. */
export const probeRoute = (app: FastifyInstance, mount: Mount, { daemon }: { daemon: DaemonSession }) =>
  app.post(daemonSurface.probe.path, async (request) => {
    const proof = daemonCredentials(request, { query: false });
    await daemon.probe(proof, daemonSurface.probe.body.parse(request.body).id);
    return mount.wrap({ ok: true });
  });
