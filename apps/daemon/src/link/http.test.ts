import { systemClock } from '@drawbridge/kit';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { createHttp } from './http.ts';
import { createServerApi } from './server-api.ts';

const serve = async (answer: RequestListener) => {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A server that listens on a port has an address of this shape.
  const { port } = server.address() as AddressInfo;
  const http = createHttp(new URL(`http://127.0.0.1:${port}/`));
  onTestFinished(() => {
    http.close();
    server.close();
  });
  return { http, get: () => http.request({ method: 'GET', path: '/' }) };
};

it.each<[string, RequestListener, string]>([
  ['is whole', (_request, response) => void response.end('short'), 'short'],
  ['comes in parts', (_request, response) => void (response.write('sho'), response.end('rt')), 'short'],
  ['is empty', (_request, response) => void response.end(), ''],
  ['goes on for ever', (_request, response) => void response.write('x'.repeat(100_000)), 'x'.repeat(10)],
])('an answer that %s is read, at most so much of it', async (_case, answer, text) => {
  const { get } = await serve(answer);
  expect(await (await get()).text(10)).toBe(text);
});

it('an answer that breaks off is rejected', async () => {
  const { get } = await serve((_request, response) => {
    response.writeHead(200, { 'content-length': 100 }).write('a part', () => response.destroy());
  });
  await expect((await get()).text(1_000)).rejects.toThrow('aborted');
});

it('a server whose health answer breaks off is not there', async () => {
  const { http } = await serve((_request, response) => {
    response.writeHead(200, { 'content-length': 100 }).write('a part', () => response.destroy());
  });
  expect(await createServerApi(http, systemClock).isThere(new AbortController().signal)).toBe(false);
});

it('the next request goes over the same socket', async () => {
  const ports: (number | undefined)[] = [];
  const { get } = await serve((request, response) => {
    ports.push(request.socket.remotePort);
    response.end('{}');
  });
  for (const _ of [1, 2]) await (await get()).text(10);
  expect(ports).toEqual([ports[0], ports[0]]);
});
