import { daemonSurface } from '@drawbridge/contracts';
import type { FastifyInstance } from 'fastify';
import type { DaemonSide } from '../../gateway/index.ts';
import { gatewayProof } from './key.ts';
import type { Mount } from './mount.ts';

/** `POST probe`: whoever reads the stream is there. */
export const probeRoute = (app: FastifyInstance, mount: Mount, { daemon }: { daemon: DaemonSide }) =>
  app.post(daemonSurface.probe.path, async (request) => {
    const proof = gatewayProof(request, { query: false });
    await daemon.probe(proof, daemonSurface.probe.body.parse(request.body).id);
    return mount.wrap({ ok: true });
  });
