import { once } from 'node:events';
import { createServer, get, type ServerResponse } from 'node:http';
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

it('however many wait for the end of an exchange, it has one listener, which releases them in order', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  // A server that listens on TCP has such an address.
  const { port } = server.address() as AddressInfo;
  const request = get({ port, host: '127.0.0.1', agent: false }).once('error', () => {});
  // The two of `request`, as Node declares them.
  const [, raw] = (await once(server, 'request')) as [unknown, ServerResponse];
  const before = raw.listenerCount('close');
  const released: number[] = [];
  for (let at = 0; at < 20; at += 1) atClose({ raw } as FastifyReply, () => released.push(at));
  expect(raw.listenerCount('close')).toBe(before + 1);
  const closed = once(raw, 'close');
  request.destroy();
  await closed;
  atClose({ raw } as FastifyReply, () => released.push(20));
  expect(released).toEqual(Array.from({ length: 21 }, (_, at) => at));
});
