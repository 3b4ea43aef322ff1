import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Clock } from '@drawbridge/kit';
import type { WebHost } from '../network/host.ts';

const idleMinutes = 60;

/** Bytes with one host: `out` to it, `in` from it. */
export interface Traffic {
  host: string;
  in: number;
  out: number;
}

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
  const before = new Map<string, Traffic>();
  const count = (counts: Map<string, Traffic>, { place, remote }: Link) => {
    const { host } = place;
    const known = counts.get(host) ?? { host, in: 0, out: 0 };
    counts.set(host, { host, in: known.in + remote.bytesRead, out: known.out + remote.bytesWritten });
  };
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
      const settle = () => {
        if (client.closed && remote.closed && open.delete(link)) count(before, link);
      };
      remote.once('close', (failed) => {
        // What the host has sent may still be on its way to a client that gets an end after it.
        if (failed || !client.writableEnded) client.destroy();
        settle();
      });
      client.once('close', () => {
        remote.destroy();
        settle();
      });
    },
    places: (): WebHost[] => [...new Map([...open].map(({ place }) => [place.host, place])).values()],
    cut: ({ host }: WebHost) => {
      for (const link of open) if (link.place.host === host) end(link);
    },
    /** Bytes with each host, of ended connections too. */
    traffic: (): Traffic[] => {
      const counts = new Map(before);
      for (const link of open) count(counts, link);
      return [...counts.values()];
    },
    stop: () => {
      stopSweep();
      for (const link of open) end(link);
    },
  };
};

export type Links = ReturnType<typeof createLinks>;
