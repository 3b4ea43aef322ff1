import { subscribe } from 'node:diagnostics_channel';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { sleep, systemClock } from '@drawbridge/kit';
import { onTestFinished } from 'vitest';

/** Requests of this process that have no whole answer yet, with where they go. */
const onTheWay = new Map<object, string>();
interface Told {
  request: { origin: string | URL };
}
subscribe('undici:request:create', (told) => {
  const { request } = told as Told;
  onTheWay.set(request, String(request.origin));
});
for (const end of ['trailers', 'error'])
  subscribe(`undici:request:${end}`, (told) => void onTheWay.delete((told as Told).request));
const standIns = new Set<string>();
const isWaitedFor = () => [...onTheWay.values()].some((origin) => standIns.has(origin));

/**
 * For a clock of a test, whose time would otherwise pass while a request is on its way. False where none was.
 * Not for a stand-in that leaves requests without an answer.
 */
export const standInsAnswered = async (): Promise<boolean> => {
  if (!isWaitedFor()) return false;
  while (isWaitedFor()) await sleep(systemClock, 1);
  return true;
};

export interface StandInRequest {
  method: string;
  /** With its query. */
  path: string;
  headers: IncomingMessage['headers'];
  body: string;
  bytes: Buffer;
}

/** A service on loopback that answers as `answer` says, and keeps what it was asked. */
export const openStandIn = async (answer: (request: StandInRequest, reply: ServerResponse) => void) => {
  const asked: StandInRequest[] = [];
  const server = createServer(async (incoming, reply) => {
    const { method = '', url: path = '', headers } = incoming;
    const bytes = await buffer(incoming);
    const request = { method, path, headers, body: bytes.toString(), bytes };
    asked.push(request);
    answer(request, reply);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  // A server that listens on TCP has such an address.
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  standIns.add(url);
  const close = () => {
    standIns.delete(url);
    server.closeAllConnections();
    server.close();
  };
  onTestFinished(close);
  return { url, asked, close };
};

export const replyJson = (reply: ServerResponse, body: unknown, status = 200) =>
  void reply.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

/** The fields of a multipart body; a file is its name, type and bytes. */
export const formOf = async ({ headers, bytes }: StandInRequest): Promise<Record<string, unknown>> => {
  const form = await new Response(new Uint8Array(bytes), {
    headers: { 'content-type': headers['content-type'] ?? '' },
  }).formData();
  const fields = [...form].map(async ([name, value]) => [
    name,
    typeof value === 'string'
      ? value
      : {
          name: value.name,
          type: value.type,
          text: Buffer.from(await value.arrayBuffer()).toString('latin1'),
        },
  ]);
  return Object.fromEntries(await Promise.all(fields));
};
