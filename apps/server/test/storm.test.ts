import { expect, it } from 'vitest';
import { createPanel } from './panel.ts';
import { signUpOwner, startServer } from './server.ts';
import { comeBack, stoppedServer } from './storm.ts';

it('a hundred machines reconnect at once to a restarted server, which still answers the panel', async () => {
  const { dataDir, keys } = await stoppedServer(100);
  const server = await startServer({ dataDir, environment: { PAIRING_PER_MINUTE: '1' } });
  const panel = createPanel(server, await signUpOwner(server));
  let back = false;
  const all = Promise.all(keys.map((key) => comeBack(server.url, key))).finally(() => (back = true));
  let answers = 0;
  while (!back) {
    expect(await panel.gateway.status.query()).toMatchObject({ state: 'offline' });
    answers += 1;
  }
  expect(answers).toBeGreaterThan(0);
  expect((await all).map(({ status }) => status)).toEqual(keys.map(() => 200));
}, 120_000);
