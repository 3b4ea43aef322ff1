import { gatewayKeyHeader } from '@drawbridge/contracts/daemon-paths';
import { daemonSurface } from '@drawbridge/contracts/daemon-surface';
import { systemClock } from '@drawbridge/kit';
import { pino } from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { announcement } from '../../../test/paired.ts';
import { errors } from '../../errors.ts';
import { createLimits, createQuota, createServer } from '../../http/index.ts';
import { initRoute } from './init.route.ts';

const few = {
  signInPerMinute: 10,
  setupPerMinute: 10,
  pairingPerMinute: 10,
  notFoundPerMinute: 10,
  tokenPerMinute: 10,
  unreadPerUserBytes: 1e8,
  unreadBytes: 1e9,
};

it('PK-05 after 600 session keys in a minute that are not valid an address is refused as such', async () => {
  const log = pino({ level: 'silent' });
  const app = await createServer({ log, trustProxy: [], secure: false, longestAnswerMs: 60_000 });
  onTestFinished(() => app.close());
  const limits = createLimits({ clock: systemClock, config: few, shared: null });
  const daemon = { init: () => Promise.reject(errors.forbidden()) };
  const mount = { base: '', queryKey: false, socket: false, wrap: (reply: object) => reply };
  initRoute(app, mount, { daemon, limits, inits: createQuota(1) });
  const init = async (remoteAddress: string) => {
    const sent = { url: daemonSurface.init.path, remoteAddress, payload: announcement };
    const headers = { [gatewayKeyHeader]: `sess_${'x'.repeat(32)}` };
    return (await app.inject({ method: 'POST', headers, ...sent })).statusCode;
  };
  const statuses = new Set<number>();
  for (let count = 0; count < 600; count += 1) statuses.add(await init('192.0.2.1'));
  expect([...statuses]).toEqual([403]);
  expect([await init('192.0.2.1'), await init('192.0.2.2')]).toEqual([429, 403]);
});
