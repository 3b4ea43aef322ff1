import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import type { PortRelay } from './port-relay.ts';

/** Each end ends the other one; an error ends both. */
const join = (client: Socket, inner: Socket): void => {
  for (const [from, to] of [
    [client, inner],
    [inner, client],
  ] as const) {
    from.pipe(to);
    from.on('error', () => to.destroy());
    from.on('close', (failed) => {
      if (failed) to.destroy();
    });
  }
};

/**
 * A port of a process on this machine's loopback address, for every program here. `ownPorts` gets it: no
 * command and no page of the agent's browser reaches it.
 */
export const openForPerson = async (relay: PortRelay, port: number, ownPorts: Set<number>) => {
  const clients = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    clients.add(client);
    client.once('close', () => void clients.delete(client));
    client.on('error', () => undefined);
    relay.connect(port).then(
      (inner) => (client.destroyed ? inner.destroy() : join(client, inner)),
      () => client.destroy(),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const opened = typeof address === 'object' && address !== null ? address.port : 0;
  ownPorts.add(opened);
  return {
    port: opened,
    close: () => {
      ownPorts.delete(opened);
      server.close();
      for (const client of clients) client.destroy();
    },
  };
};
