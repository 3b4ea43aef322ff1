import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { expect, it, onTestFinished } from 'vitest';
import { atClose, disconnectSignal, whenDelivered } from './client-disconnect.ts';

it.each(['before', 'after'])('a client that leaves %s it is asked about is noticed', async (when) => {
  const [arrived, left] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const seen = Promise.withResolvers<unknown[]>();
  const server = createServer((incoming, raw) => {
    const watch = () => {
      // What is used of Fastify's are the objects of Node.
      const [request, reply] = [{ raw: incoming } as FastifyRequest, { raw } as FastifyReply];
      const released = Promise.withResolvers<void>();
      atClose(reply, released.resolve);
      const signal = disconnectSignal(reply);
      const delivered = whenDelivered(request, reply);
      void released.promise.then(async () => seen.resolve([signal.aborted, await delivered]));
    };
    if (when === 'after') watch();
    raw.once('close', () => {
      if (when === 'before') watch();
      left.resolve();
    });
    arrived.resolve();
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => void server.close());
  // A server that listens on TCP has such an address.
  const { port } = server.address() as AddressInfo;
  const request = get({ port, host: '127.0.0.1', agent: false });
  request.once('error', () => {});
  await arrived.promise;
  request.destroy();
  await left.promise;
  expect(await seen.promise).toEqual([true, false]);
});
