import type { LookupAddress } from 'node:dns';
import type { ServerResponse } from 'node:http';
import { createServer, request } from 'node:https';
import type { AddressInfo, LookupFunction } from 'node:net';
import { generate } from 'selfsigned';
import { onTestFinished } from 'vitest';
import type { Outside } from '../src/auth/index.ts';
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
  cert: string;
  /** Other addresses than the public one, by name. */
  names: Record<string, LookupAddress[]>;
}

/** Connections to any public address end at that port of this machine. */
export const leadTo = ({ port, cert, names }: Lead): Outside => {
  const here: LookupAddress = { address: '127.0.0.1', family: 4 };
  return {
    resolve: async (name) => names[name] ?? [publicAddress],
    request: (url, options, onAnswer) => {
      // The guard's own look-up goes first; what it let through leads here.
      const led: LookupFunction = (name, lookupOptions, done) =>
        options.lookup?.(name, lookupOptions, (error) => {
          if (error) return done(error, []);
          return lookupOptions.all === true ? done(null, [here]) : done(null, here.address, here.family);
        });
      return request(url, { ...options, port, ca: cert, lookup: led }, onAnswer);
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
