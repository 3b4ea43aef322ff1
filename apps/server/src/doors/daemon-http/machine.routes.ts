import { daemonSurface } from '@drawbridge/contracts/daemon-surface';
import type { FastifyInstance } from 'fastify';
import type { z } from 'zod';
import type { DaemonCredentials, DaemonSession } from '../../gateway/index.ts';
import { requestIdOf } from '../../http/index.ts';
import { daemonCredentials } from './key.ts';
import type { Mount } from './mount.ts';

const kilobyte = 1024;
const ok = { ok: true };

interface Post<Body> {
  /** The largest body, in bytes; that of the server when left out. */
  bodyLimit?: number;
  answer(credentials: DaemonCredentials, body: Body, params: unknown): Promise<object>;
}

/** What a machine posts about itself and its calls: its credentials and one body, for one function. */
export const machineRoutes = (app: FastifyInstance, mount: Mount, { daemon }: { daemon: DaemonSession }) => {
  const post = <Body>(
    { path, body }: { path: string; body: z.ZodType<Body> },
    { answer, ...options }: Post<Body>,
  ) =>
    app.post(path, options, async (request) => {
      const credentials = daemonCredentials(request, { query: false });
      return mount.wrap(await answer(credentials, body.parse(request.body), request.params));
    });

  // What the machine offers has changed.
  post(daemonSurface.tools, { bodyLimit: 1024 * kilobyte, answer: daemon.setTools });
  // How far a call is.
  post(daemonSurface.progress, {
    bodyLimit: 512 * kilobyte,
    answer: (credentials, body, params) => daemon.progress(credentials, requestIdOf(params), body),
  });
  // The reader of the stream is there.
  post(daemonSurface.probe, {
    answer: (credentials, { id }) => daemon.probe(credentials, id).then(() => ok),
  });
  // What a daemon says of its rules.
  post(daemonSurface.rules, {
    bodyLimit: 2048 * kilobyte,
    answer: (credentials, body, params) =>
      daemon.rules(credentials, requestIdOf(params), body).then(() => ok),
  });
  // Open questions that the rules of the machine cover now.
  post(daemonSurface.settled, {
    bodyLimit: 512 * kilobyte,
    answer: async (credentials, body) => ({ ...ok, settled: await daemon.settled(credentials, body) }),
  });
  // The machine ends its pairing (specification 7), or goes offline and keeps it.
  post(daemonSurface.disconnect, {
    answer: async (credentials, body) => {
      await (body?.keepSession === true ? daemon.leave(credentials) : daemon.disconnect(credentials));
      return ok;
    },
  });
};
