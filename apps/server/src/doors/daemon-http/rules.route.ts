import { daemonSurface } from '@drawbridge/contracts/daemon-surface';
import type { FastifyInstance } from 'fastify';
import type { DaemonSession } from '../../gateway/index.ts';
import { daemonCredentials } from './key.ts';
import type { Mount } from './mount.ts';
import { requestIdOf } from './request-id.ts';

const bodyLimit = 2 * 1024 * 1024;

/** `POST rules/:requestId`: what a daemon says of its rules. */
export const rulesRoute = (app: FastifyInstance, mount: Mount, { daemon }: { daemon: DaemonSession }) =>
  app.post(daemonSurface.rules.path, { bodyLimit }, async (request) => {
    const proof = daemonCredentials(request, { query: false });
    const body = daemonSurface.rules.body.parse(request.body);
    await daemon.rules(proof, requestIdOf(request.params), body);
    return mount.wrap({ ok: true });
  });
