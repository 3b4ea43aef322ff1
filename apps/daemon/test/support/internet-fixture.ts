import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect, createServer, type AddressInfo, type OnReadOpts, type Server, type Socket } from 'node:net';
import { generate } from 'selfsigned';
import { pausedFor } from '../../src/tools/common/egress/dial.ts';
import { cleanUp } from './clean-up.ts';

/** A public address: `dial` leads it to the servers of the fixture. */
export const publicAddress = '93.184.216.34';

export interface InternetOptions {
  /** What the names lead to; every other name is looked up in vain. */
  names: Record<string, readonly string[]>;
  /** Answers HTTP on port 80 and HTTPS on 443; the request says for which host. */
  site?: RequestListener;
  /** What answers on other ports. */
  ports?: Record<number, (link: Socket) => void>;
}

const listen = async (server: Server): Promise<number> => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const links = new Set<Socket>();
  server.on('connection', (link: Socket) => {
    links.add(link);
    link.on('error', () => undefined).on('close', () => links.delete(link));
  });
  cleanUp(() => {
    for (const link of links) link.destroy();
    server.close();
  });
  // It listens on a TCP port.
  return (server.address() as AddressInfo).port;
};

const reach = (port: number, onread: OnReadOpts | undefined): Socket =>
  pausedFor(onread, connect({ port, host: '127.0.0.1', allowHalfOpen: true, ...(onread && { onread }) }));

/**
 * Hosts on this machine for an egress: `resolve` and `dial` lead to them and nowhere else. `ca` is the
 * certificate of all of them.
 */
export const openInternet = async ({
  names,
  site = (_request, answer) => answer.end('hello'),
  ports = {},
}: InternetOptions) => {
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'fixture.test' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      {
        name: 'subjectAltName',
        altNames: Object.keys(names).map((value) => ({ type: 2 as const, value })),
      },
    ],
  });
  const listeners = new Map<number, number>([
    [443, await listen(createTlsServer({ key, cert }, site))],
    [80, await listen(createHttpServer(site))],
  ]);
  for (const [port, answer] of Object.entries(ports))
    listeners.set(Number(port), await listen(createServer({ allowHalfOpen: true }, answer)));
  const resolved: string[] = [];
  const dialled: string[] = [];
  return {
    ca: cert,
    /** Names that were looked up, and what was connected: `address:port`. */
    resolved,
    dialled,
    resolve: async (name: string): Promise<string[]> => {
      resolved.push(name);
      return [...(names[name] ?? [])];
    },
    dial: (addresses: readonly string[], port: number, onread?: OnReadOpts): Socket => {
      dialled.push(...addresses.map((address) => `${address}:${port}`));
      // What a mirror of this machine leads to is the test's own.
      if (addresses[0] === '127.0.0.1' && port > 1_023) return reach(port, onread);
      const listener = listeners.get(port);
      if (listener === undefined) throw new Error(`the fixture has no port ${port}`);
      return reach(listener, onread);
    },
  };
};
