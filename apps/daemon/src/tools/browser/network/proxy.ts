import type { lookup as systemLookup } from 'node:dns';
import { Agent } from 'node:http';
import type { LookupFunction } from 'node:net';
import { nanoid } from 'nanoid';
import { RequestError, Server } from 'proxy-chain';
import { toWebHost, type WebHost } from './host.ts';
import type { Refusal } from './host-policy.ts';
import { addressesOf, type Resolve } from './resolve.ts';

export interface ProxyNeeds {
  mayConnect(place: WebHost, addresses: readonly string[]): Promise<Refusal | null>;
  refused(place: WebHost, refusal: Refusal): void;
  resolve?: Resolve | undefined;
}

/** Returns the checked addresses: another lookup could give others. */
const only =
  (addresses: readonly string[]): LookupFunction =>
  (_hostname, options, done) => {
    const records = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    const [first] = records;
    if (options.all) done(null, records);
    else if (first) done(null, first.address, first.family);
    else done(new Error('no address'), '', 4);
  };

/** The browser's only way out: a local proxy with a secret that connects to checked addresses only. */
export const openProxy = async ({ mayConnect, refused, resolve }: ProxyNeeds) => {
  const [username, password] = ['browser', nanoid(32)];
  const httpAgent = new Agent({ keepAlive: false });

  const server = new Server({
    host: '127.0.0.1',
    port: 0,
    prepareRequestFunction: async (request) => {
      if (request.username !== username || request.password !== password)
        return { requestAuthentication: true, failMsg: 'This is not for you' };
      const place = toWebHost(request.hostname, request.port);
      if (place === undefined) throw new RequestError('Blocked', 403);
      const addresses = await addressesOf(place.hostname, resolve);
      const refusal = await mayConnect(place, addresses);
      if (refusal !== null) {
        refused(place, refusal);
        throw new RequestError('Blocked', 403);
      }
      // The proxy calls it in the form that sockets do, which is one of many that the type has.
      return { dnsLookup: only(addresses) as typeof systemLookup, httpAgent };
    },
  });
  await server.listen();
  return {
    url: `http://127.0.0.1:${server.port}`,
    /** What a client has to show. */
    username,
    password,
    close: () => server.close(true),
  };
};
