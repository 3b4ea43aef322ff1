import type { LookupAddress } from 'node:dns';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { leadTo } from './document-site.ts';

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
  const outside = leadTo({ port, names, resolved, connected });
  return { outside, pages, asked, resolved, connected };
};
