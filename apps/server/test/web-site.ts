import type { LookupAddress } from 'node:dns';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { onTestFinished } from 'vitest';
import type { Outside } from '../src/agent/web/outside.ts';

const publicAddress: LookupAddress = { address: '93.184.216.34', family: 4 };

type Answer = (reply: ServerResponse, request: IncomingMessage) => void;

export const asHtml =
  (html: string): Answer =>
  (reply) =>
    reply.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(html);

export const asRedirect =
  (location: string, status = 302): Answer =>
  (reply) =>
    reply.writeHead(status, { location }).end();

/**
 * A site on loopback and an outside that leads to it: names resolve as `names` says, else to a public
 * address, the guard's own look-up goes first, and each connection that it let through ends at the site.
 */
export const openWebSite = async (names: Record<string, LookupAddress[]> = {}) => {
  const pages = new Map<string, Answer>();
  const asked: string[] = [];
  const resolved: string[] = [];
  /** Where connections were about to go. */
  const connected: string[] = [];
  const server = createServer((request, reply) => {
    const path = `${request.headers.host}${request.url}`;
    asked.push(path);
    (pages.get(path) ?? asHtml('<p>a page</p>'))(reply, request);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  // A server that listens on TCP has such an address.
  const { port } = server.address() as AddressInfo;

  const outside: Outside = {
    resolve: async (name) => {
      resolved.push(name);
      return names[name] ?? [publicAddress];
    },
    buildConnector: (options = {}) => {
      const guard: LookupFunction | undefined = 'lookup' in options ? options.lookup : undefined;
      const led: LookupFunction = (name, lookupOptions, done) =>
        guard?.(name, { ...lookupOptions, all: true }, (error, found) => {
          if (error) return done(error, []);
          connected.push(...(found as LookupAddress[]).map(({ address }) => address));
          const here: LookupAddress = { address: '127.0.0.1', family: 4 };
          return lookupOptions.all === true ? done(null, [here]) : done(null, here.address, here.family);
        });
      const connect = buildConnector({ ...options, lookup: led });
      return (target, done) => connect({ ...target, protocol: 'http:', port: String(port) }, done);
    },
  };
  return { outside, pages, asked, resolved, connected };
};
