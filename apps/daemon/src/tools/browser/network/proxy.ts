import { createServer } from 'node:net';
import { once } from 'node:events';
import type { Clock } from '@drawbridge/kit';
import { nanoid } from 'nanoid';
import { createEgress, type EgressNeeds } from '../../common/egress/egress.ts';
import type { WebHost } from '../../common/network/host.ts';
import type { Refusal } from '../../common/egress/refusal.ts';

export interface ProxyNeeds extends Pick<EgressNeeds, 'mayConnect' | 'resolve' | 'into'> {
  clock: Clock;
  /** Gets its port, which no command may reach. */
  ownPorts: Set<number>;
  refused(place: WebHost, refusal: Refusal): void;
}

/** The browser's only way out: a local proxy with a secret that connects to checked addresses only. */
export const openProxy = async ({ refused, ownPorts, ...needs }: ProxyNeeds) => {
  const [username, password] = ['browser', nanoid(32)];
  const egress = createEgress({
    ...needs,
    authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
    // The requests of pages are checked before they come here.
    checksFirstBytes: false,
    refused: (place, reason) => {
      if (reason !== 'protocol' && reason !== 'request' && reason !== 'unreachable') refused(place, reason);
    },
  });
  const server = createServer({ allowHalfOpen: true, noDelay: true }, egress.accept);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  ownPorts.add(port);
  return {
    url: `http://127.0.0.1:${port}`,
    /** What a client has to show. */
    username,
    password,
    close: async () => {
      ownPorts.delete(port);
      egress.close();
      const closed = once(server, 'close');
      server.close();
      await closed;
    },
  };
};
