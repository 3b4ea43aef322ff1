import { daemonSurface } from '@drawbridge/contracts/daemon-surface';
import type { Clock } from '@drawbridge/kit';
import type { FastifyInstance } from 'fastify';
import type { DaemonSession } from '../../gateway/index.ts';
import { atClose, type Quota, type Unread } from '../../http/index.ts';
import { createEventStream } from './event-stream.ts';
import { daemonCredentials } from './key.ts';
import type { Mount } from './mount.ts';

interface Needs {
  daemon: DaemonSession;
  clock: Clock;
  streams: Quota;
  unread: Pick<Unread, 'count'>;
}

/** `GET events`: the stream on which tool calls reach the machine. Specification 3. */
export const eventsRoute = (app: FastifyInstance, mount: Mount, { daemon, clock, streams, unread }: Needs) =>
  app.get(daemonSurface.events.path, async (request, reply) => {
    const proof = daemonCredentials(request, { query: mount.queryKey });
    const leave = streams.acquire(request.ip);
    atClose(reply, leave);
    unread.count(reply, await daemon.userOf(proof));
    const stream = createEventStream(reply, clock);
    let left = false;
    let closed = () => {
      left = true;
    };
    atClose(reply, () => closed());
    const detach = await daemon.openStream(proof, stream);
    if (left) return detach();
    closed = detach;
    stream.open();
  });
