import { daemonSurface } from '@drawbridge/contracts';
import type { FastifyInstance } from 'fastify';
import type { DaemonSide } from '../../gateway/index.ts';
import { gatewayProof } from './key.ts';
import type { Mount } from './mount.ts';
import { requestIdOf } from './request-id.ts';

const bodyLimit = 512 * 1024;

/** `POST progress/:requestId`: how far a call is. */
export const progressRoute = (app: FastifyInstance, mount: Mount, { daemon }: { daemon: DaemonSide }) =>
  app.post(daemonSurface.progress.path, { bodyLimit }, async (request) => {
    const proof = gatewayProof(request, { query: false });
    const body = daemonSurface.progress.body.parse(request.body);
    return mount.wrap(await daemon.progress(proof, requestIdOf(request.params), body));
  });
