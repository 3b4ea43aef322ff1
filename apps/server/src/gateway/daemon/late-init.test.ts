import { expect, it } from 'vitest';
import { initBody, openStream } from '../../../test/gateway-fixture.ts';
import { useTwo } from '../../../test/two-servers.ts';

const conflict = { code: 'CONFLICT' };

const daemon = (instance: string, more: object = {}) =>
  initBody({ daemon: { version: '0.1.0', protocol: 1, features: ['resume'], instance }, ...more });

it('a late init ends no stream of a daemon that has come back meanwhile', async () => {
  const { one, two, key } = await useTwo();
  // The answer of a suspended server was not waited for: the daemon asks another one.
  expect(await two.gateway.daemon.init(key, daemon('first', { after: 1 }))).toMatchObject({ epoch: 2 });
  await expect(one.gateway.daemon.init(key, daemon('first', { after: 1 }))).rejects.toMatchObject(conflict);
  const stream = await openStream(two.gateway, { key, epoch: 2 });
  expect([stream.events, stream.isClosed()]).toEqual([[], false]);
});

it('a server that knows no newer init refuses it too, and does not count it as a replacement', async () => {
  const { one, two, key } = await useTwo({ fate: () => 'is lost' });
  for (const after of [1, 2, 3]) await two.gateway.daemon.init(key, daemon('first', { after }));
  for (const after of [1, 2, 3, 1, 2, 3])
    await expect(one.gateway.daemon.init(key, daemon('second', { after }))).rejects.toMatchObject(conflict);
  const newest = { ok: true, epoch: 4 };
  expect(await one.gateway.daemon.init(key, daemon('second', { check: true }))).toEqual(newest);
  expect(await one.gateway.daemon.init(key, daemon('second', { after: 4 }))).toMatchObject({ epoch: 5 });
});

it('a store that was set back is known again after a question', async () => {
  const { one, key } = await useTwo();
  await expect(one.gateway.daemon.init(key, daemon('first', { after: 9 }))).rejects.toMatchObject(conflict);
  expect(await one.gateway.daemon.init(key, daemon('first', { check: true }))).toEqual({
    ok: true,
    epoch: 1,
  });
});

it('a daemon of the specification learns no epoch, and a token pairs whatever its daemon knows', async () => {
  const { one, key } = await useTwo();
  const { daemon: _none, ...plain } = initBody({ check: true });
  expect(await one.gateway.daemon.init(key, plain)).toEqual({ ok: true });
  const { token } = await one.gateway.pairing.createLink('ada');
  expect(await one.gateway.daemon.init(token, daemon('other', { after: 9 }))).toMatchObject({ ok: true });
});
