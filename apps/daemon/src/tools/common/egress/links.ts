import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Clock } from '@drawbridge/kit';
import type { WebHost } from '../network/host.ts';

const idleMinutes = 60;

interface Link {
  place: WebHost;
  client: Duplex;
  remote: Socket;
  idleMinutes: number;
  bytes: number;
}

const end = ({ client, remote }: Link): void => {
  client.destroy();
  remote.destroy();
};

/** The open connections of an egress: both sides end together, and after an hour without a byte. */
export const createLinks = (clock: Clock) => {
  const open = new Set<Link>();
  const stopSweep = clock.every(60_000, () => {
    for (const link of open) {
      const bytes = link.remote.bytesRead + link.remote.bytesWritten;
      link.idleMinutes = bytes === link.bytes ? link.idleMinutes + 1 : 0;
      link.bytes = bytes;
      if (link.idleMinutes >= idleMinutes) end(link);
    }
  });
  return {
    add: (place: WebHost, { client, remote }: { client: Duplex; remote: Socket }) => {
      const link: Link = { place, client, remote, idleMinutes: 0, bytes: 0 };
      open.add(link);
      remote.once('close', () => {
        open.delete(link);
        client.destroy();
      });
      client.once('close', () => remote.destroy());
    },
    stop: () => {
      stopSweep();
      for (const link of open) end(link);
    },
  };
};

export type Links = ReturnType<typeof createLinks>;
