import { daemonSurface } from '@drawbridge/contracts/daemon-surface';
import type { FastifyInstance } from 'fastify';
import type { DaemonSession } from '../../gateway/index.ts';
import { daemonCredentials } from './key.ts';
import type { Mount } from './mount.ts';

const bodyLimit = 512 * 1024;

/** `POST settled`: open questions that the rules of the machine cover now. */
export const settledRoute = (app: FastifyInstance, mount: Mount, { daemon }: { daemon: DaemonSession }) =>
  app.post(daemonSurface.settled.path, { bodyLimit }, async (request) => {
    const proof = daemonCredentials(request, { query: false });
    const body = daemonSurface.settled.body.parse(request.body);
    return mount.wrap({ ok: true, settled: await daemon.settled(proof, body) });
  });
