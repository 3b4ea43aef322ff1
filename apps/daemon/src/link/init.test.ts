import { expect, it } from 'vitest';
import { json, sessionKey, type Seen } from '../../test/support/gateway-server.ts';
import { startLink, told } from '../../test/support/link-fixture.ts';
import { knownEpoch } from './init.ts';

const conflict = json(409, { code: 'CONFLICT', message: 'This was changed meanwhile' });
const taken = (epoch: number) => json(200, { ok: true, epoch });

const start = async (earlier: number | null) => {
  const epoch = knownEpoch();
  epoch.set(earlier);
  const world = await startLink(undefined, epoch);
  const inits = () =>
    world.server.seen.filter(({ path }) => path === '/init').map(({ body }: Seen) => Object(body).after);
  return { ...world, epoch, inits };
};

it('an init names the newest epoch that is known, also to an earlier process', async () => {
  const { server, clock, link, reported, inits, epoch } = await start(4);
  server.answer('init', taken(5), taken(6));
  link.giveKey(sessionKey);
  await reported('connected');
  server.send(told('shutdown'));
  await reported('connected', 'reconnecting');
  clock.advance(1_000);
  await reported('connected', 'reconnecting', 'connected');
  expect([inits(), epoch.get()]).toEqual([[4, 5], 6]);
});

it('after a conflict it asks for the newest epoch, and speaks as that of its own init', async () => {
  const { server, link, reported, inits, epoch } = await start(4);
  server.newestEpoch(8);
  server.answer('init', conflict, taken(9));
  link.giveKey(sessionKey);
  await reported('connected');
  expect([inits(), epoch.get()]).toEqual([[4, 8], 9]);
  expect(server.seen.find(({ path }) => path === '/events')).toMatchObject({ epoch: '9' });
});

it('a server that names no epoch is asked for none', async () => {
  const { server, link, reported, inits, epoch } = await start(4);
  server.answer('init', conflict, json(200, { ok: true }));
  link.giveKey(sessionKey);
  await reported('connected');
  expect([inits(), epoch.get()]).toEqual([[4, undefined], null]);
});

it('where others are always first, it tries again later', async () => {
  const { server, link, reported, inits } = await start(4);
  server.newestEpoch(8);
  server.answer('init', conflict);
  link.giveKey(sessionKey);
  await reported('reconnecting');
  expect(inits()).toEqual([4, 8, 8]);
});
