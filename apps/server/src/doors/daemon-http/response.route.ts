import { daemonSurface } from '@drawbridge/contracts';
import type { FastifyInstance } from 'fastify';
import type { DaemonSide } from '../../gateway/index.ts';
import { gatewayProof } from './key.ts';
import type { Mount } from './mount.ts';
import { requestIdOf } from './request-id.ts';

/** `POST response/:requestId`: a call's result. Specification 3 and 6. */
export const responseRoute = (
  app: FastifyInstance,
  mount: Mount,
  { daemon, resultMaxBytes }: { daemon: DaemonSide; resultMaxBytes: number },
) =>
  app.post(daemonSurface.response.path, { bodyLimit: resultMaxBytes }, async (request) => {
    const proof = gatewayProof(request, { query: false });
    const body = daemonSurface.response.body.parse(request.body);
    return mount.wrap(await daemon.respond(proof, requestIdOf(request.params), body));
  });
