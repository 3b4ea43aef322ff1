import { daemonSurface } from '@drawbridge/contracts/daemon-surface';
import type { FastifyInstance } from 'fastify';
import type { DaemonSession } from '../../gateway/index.ts';
import { daemonCredentials } from './key.ts';
import type { Mount } from './mount.ts';

const bodyLimit = 1024 * 1024;

/** `POST tools`: what a machine offers has changed. */
export const toolsRoute = (app: FastifyInstance, mount: Mount, { daemon }: { daemon: DaemonSession }) =>
  app.post(daemonSurface.tools.path, { bodyLimit }, async (request) => {
    const proof = daemonCredentials(request, { query: false });
    const body = daemonSurface.tools.body.parse(request.body);
    return mount.wrap(await daemon.setTools(proof, body));
  });
