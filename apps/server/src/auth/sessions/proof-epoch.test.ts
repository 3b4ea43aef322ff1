import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sessionProofHeader } from '@drawbridge/contracts/accounts';
import { createFakeClock, systemClock } from '@drawbridge/kit';
import { expect, it, onTestFinished } from 'vitest';
import { me, signIn } from '../../../test/account.ts';
import { cookiesOf, owner, sessionHeaders, signUpOwner, startServer } from '../../../test/server.ts';
import { createApp } from '../../app.ts';
import { configFrom } from '../../config.ts';
import { followProofEpoch, readProofEpoch, shortStopMs } from './proof-epoch.ts';

const https = { PUBLIC_URL: 'https://bridge.example' };

it.each<[string, Record<string, string>, number, boolean]>([
  ['http, and a short stop', {}, shortStopMs, true],
  ['http, and a longer one', {}, shortStopMs + 1, false],
  ['http, and a night', {}, 8 * 60 * 60_000, false],
  ['https, and a night', https, 8 * 60 * 60_000, true],
])(
  'NE-11: %s: what a browser has given to another program at the port',
  async (_how, environment, stopMs, holds) => {
    const clock = createFakeClock();
    const first = await startServer({ environment, clock });
    const cookie = await signUpOwner(first);
    const captured = sessionHeaders(cookie);
    expect(await me(first, cookie)).not.toBeNull();
    await first.app.close();
    clock.advance(stopMs);
    const second = await startServer({ environment, clock, dataDir: first.dataDir });
    expect((await me(second, cookie, captured)) !== null).toBe(holds);
    // Signing in gives a proof that holds.
    const again = cookiesOf(await signIn(second, { email: owner.email, password: owner.password }));
    expect(await me(second, again)).not.toBeNull();
    expect(
      (await me(second, again, { [sessionProofHeader]: captured[sessionProofHeader] ?? '' })) !== null,
    ).toBe(false);
  },
);

it('NE-11: http, and a program at the port when the server was to start', async () => {
  const first = await startServer();
  const cookie = await signUpOwner(first);
  const captured = sessionHeaders(cookie);
  await first.app.close();
  const { dataDir } = first;
  const other = createServer();
  await new Promise<void>((opened) => other.listen(0, '127.0.0.1', opened));
  onTestFinished(() => void other.close());
  const at = other.address();
  const config = configFrom({ PORT: String(typeof at === 'object' ? at?.port : 0), DATA_DIR: dataDir });
  const refused = await createApp({ config, clock: systemClock, writeLog: () => {} });
  await expect(refused.listen()).rejects.toMatchObject({ code: 'EADDRINUSE' });
  await refused.close();
  const second = await startServer({ dataDir });
  expect(await me(second, cookie, captured)).toBeNull();
});

it.each<[string, string | undefined, boolean]>([
  ['the only one', undefined, false],
  ['one of several', 'redis://127.0.0.1:6379', true],
])('NE-11: http, a long stop of a server that is %s', async (_which, redisUrl, holds) => {
  const clock = createFakeClock();
  const dataDir = mkdtempSync(join(tmpdir(), 'drawbridge-epoch-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true }));
  const place = { dataDir, redisUrl };
  const before = readProofEpoch(place);
  const first = followProofEpoch({ ...place, clock });
  await first.listen(async () => {});
  first.stop();
  clock.advance(shortStopMs + 1);
  await followProofEpoch({ ...place, clock }).listen(async () => {});
  expect(readProofEpoch(place) === before).toBe(holds);
});
