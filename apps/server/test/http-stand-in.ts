import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

export interface StandInRequest {
  method: string;
  /** With its query. */
  path: string;
  headers: IncomingMessage['headers'];
  body: string;
}

/** A service on loopback that answers as `answer` says, and keeps what it was asked. */
export const openStandIn = async (answer: (request: StandInRequest, reply: ServerResponse) => void) => {
  const asked: StandInRequest[] = [];
  const server = createServer(async (incoming, reply) => {
    const { method = '', url: path = '', headers } = incoming;
    const request = { method, path, headers, body: await text(incoming) };
    asked.push(request);
    answer(request, reply);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  onTestFinished(close);
  // A server that listens on TCP has such an address.
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, asked, close };
};

export const replyJson = (reply: ServerResponse, body: unknown, status = 200) =>
  void reply.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
