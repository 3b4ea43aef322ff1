import { systemClock } from '@drawbridge/kit';
import { pino } from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { errors } from '../../errors.ts';
import { createLimits, createServer } from '../../http/index.ts';
import { createWebhooksDoor } from './index.ts';

const few = {
  signInPerMinute: 10,
  setupPerMinute: 10,
  pairingPerMinute: 10,
  notFoundPerMinute: 10,
  tokenPerMinute: 10,
  unreadPerUserBytes: 1e8,
  unreadBytes: 1e9,
};

it('WH-02 after 600 wrong signatures in a minute from one address none is looked at', async () => {
  const log = pino({ level: 'silent' });
  const app = await createServer({ log, trustProxy: [], secure: false, longestAnswerMs: 60_000 });
  onTestFinished(() => app.close());
  let received = 0;
  const hooks = {
    list: async () => [],
    create: () => Promise.reject(errors.notFound()),
    remove: async () => {},
    removeAll: async () => {},
    receive: async () => {
      received += 1;
      throw errors.unauthorized();
    },
  };
  await app.register(
    createWebhooksDoor({ hooks, limits: createLimits({ clock: systemClock, config: few, shared: null }) }),
  );
  const post = async (remoteAddress: string) =>
    (await app.inject({ method: 'POST', url: '/webhooks/deploys', remoteAddress, payload: '{}' })).statusCode;
  const statuses = new Set<number>();
  for (let count = 0; count < 600; count += 1) statuses.add(await post('192.0.2.1'));
  expect([[...statuses], received]).toEqual([[401], 600]);
  expect([await post('192.0.2.1'), await post('192.0.2.1'), received]).toEqual([429, 429, 601]);
  expect(await post('192.0.2.2')).toBe(401);
});
