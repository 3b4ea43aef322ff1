import { daemonSurface } from '@drawbridge/contracts/daemon-surface';
import type { FastifyInstance } from 'fastify';
import type { DaemonSession } from '../../gateway/index.ts';
import { daemonCredentials } from './key.ts';
import type { Mount } from './mount.ts';
import { requestIdOf } from './request-id.ts';

const bodyLimit = 512 * 1024;

/** `POST progress/:requestId`: how far a call is. */
export const progressRoute = (app: FastifyInstance, mount: Mount, { daemon }: { daemon: DaemonSession }) =>
  app.post(daemonSurface.progress.path, { bodyLimit }, async (request) => {
    const proof = daemonCredentials(request, { query: false });
    const body = daemonSurface.progress.body.parse(request.body);
    return mount.wrap(await daemon.progress(proof, requestIdOf(request.params), body));
  });
