import { daemonMounts, gatewayKeyHeader } from '@drawbridge/contracts/daemon-paths';
import type { InitReply } from '@drawbridge/contracts/daemon-reply';
import { fastify } from 'fastify';
import { expect, it } from 'vitest';
import { connectDaemon, openStream } from '../../../test/daemon.ts';
import { announcement, paired } from '../../../test/paired.ts';
import type { DaemonSession } from '../../gateway/index.ts';
import { createQuota, errorHandler, type Limits } from '../../http/index.ts';
import { initRoute } from './init.route.ts';
import { mounts } from './mount.ts';

const { bare } = daemonMounts;
const mount = mounts(true)[0] ?? expect.fail();

it('of too many inits at once some are refused with a time to retry', async () => {
  const app = fastify();
  app.setErrorHandler(errorHandler);
  const waiting: ((reply: InitReply) => void)[] = [];
  const limit = { check: async () => {}, count: async () => {} };
  initRoute(app, mount, {
    // No other part of it is called.
    daemon: { init: () => new Promise((resolve) => waiting.push(resolve)) } as unknown as DaemonSession,
    limits: { session: limit, pairing: limit } as unknown as Limits,
    inits: createQuota(2),
  });
  const init = () => app.inject({ method: 'POST', url: '/init', payload: announcement });
  const first = [init(), init()];
  await expect.poll(() => waiting.length).toBe(2);
  const away = await init();
  expect([away.statusCode, away.headers['retry-after']]).toEqual([429, '2']);
  for (const resolve of waiting.splice(0)) resolve({ ok: true });
  expect((await Promise.all(first)).map(({ statusCode }) => statusCode)).toEqual([200, 200]);
  const next = init();
  await expect.poll(() => waiting.length).toBe(1);
  waiting[0]?.({ ok: true });
  expect((await next).statusCode).toBe(200);
});

it('an address has a bounded number of streams, and a new one when one has ended', async () => {
  const { server, token } = await paired({ STREAMS_PER_ADDRESS: '1' });
  const daemon = await connectDaemon(server, token);
  const open = () => openStream(`${server.url}${bare}/events`, { [gatewayKeyHeader]: daemon.sessionKey });
  expect((await open()).status).toBe(429);
  daemon.stream.close();
  await expect.poll(async () => (await open()).status).toBe(200);
});
