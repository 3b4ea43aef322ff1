import type { LookupAddress } from 'node:dns';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo, LookupFunction } from 'node:net';
import { generate } from 'selfsigned';
import { buildConnector } from 'undici';
import { onTestFinished } from 'vitest';
import type { Network } from '../src/outside/index.ts';
import { redirect } from './oauth.ts';

/** An address of the internet; connections to it end at the site of the test. */
export const publicAddress: LookupAddress = { address: '93.184.216.34', family: 4 };

export const siteHost = 'client.example';

/** What a site tells of a client, as a client of MCP does. */
export const documentOf = (url: string, more: object = {}) => ({
  client_id: url,
  client_name: 'Agent of a site',
  redirect_uris: [redirect],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
  ...more,
});

type Answer = (reply: ServerResponse, url: string) => void;

export const asJson =
  (body: (url: string) => unknown, status = 200): Answer =>
  (reply, url) =>
    reply.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body(url)));

interface Lead {
  port: number;
  /** Of an https site; without one it is asked by http. */
  cert?: string;
  /** Other addresses than the public one, by name. */
  names: Record<string, LookupAddress[]>;
  /** Gets each name that is looked up, and each address that a connection is about to go to. */
  resolved?: string[];
  connected?: string[];
}

/** Connections to any public address end at that port of this machine; others go where they lead. */
export const leadTo = ({ port, cert, names, resolved = [], connected = [] }: Lead): Network => {
  const here: LookupAddress = { address: '127.0.0.1', family: 4 };
  return {
    resolve: async (name) => {
      resolved.push(name);
      return names[name] ?? [publicAddress];
    },
    buildConnector: (options = {}) => {
      const guard: LookupFunction | undefined = 'lookup' in options ? options.lookup : undefined;
      if (!guard) return buildConnector(options);
      // The guard's own look-up goes first; what it let through leads here.
      const led: LookupFunction = (name, lookupOptions, done) =>
        guard(name, { ...lookupOptions, all: true }, (error, found) => {
          if (error) return done(error, []);
          connected.push(...(found as LookupAddress[]).map(({ address }) => address));
          return lookupOptions.all === true ? done(null, [here]) : done(null, here.address, here.family);
        });
      const connect = buildConnector({ ...options, lookup: led, ...(cert !== undefined && { ca: cert }) });
      const to = { port: String(port), ...(cert === undefined && { protocol: 'http:' }) };
      return (target, done) => connect({ ...target, ...to }, done);
    },
  };
};

/** A client's HTTPS site with its own certificate, and a resolver that answers as `names` says. */
export const openSite = async (names: Record<string, LookupAddress[]> = {}) => {
  const { private: key, cert } = await generate([{ name: 'commonName', value: siteHost }], {
    keyType: 'ec',
    algorithm: 'sha256',
  });
  const pages = new Map<string, Answer>();
  const asked: string[] = [];
  const server = createServer({ key, cert }, (incoming, reply) => {
    const path = incoming.url ?? '';
    asked.push(path);
    (pages.get(path) ?? asJson((own) => documentOf(own)))(reply, `https://${siteHost}${path}`);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  // A server that listens on TCP has such an address.
  const { port } = server.address() as AddressInfo;
  return { outside: leadTo({ port, cert, names }), pages, asked };
};
