import type { RefusedPairing } from '@drawbridge/contracts/machines/summary';
import { expect, it } from 'vitest';
import { connect, initBody, useGateway } from '../../../test/gateway-fixture.ts';

const fixture = useGateway();
const daemon = (instance: string) => ({ version: '0.1.0', protocol: 1, features: [], instance });
const bodyOf = (name: string, more: object = {}) =>
  initBody({ hostIdentifier: `ada@${name}`, daemon: daemon(name), ...more });

const open = async () => {
  await fixture.open();
  const { gateway } = fixture;
  await connect(gateway, 'ada', bodyOf('laptop'));
  const pair = async (machineId: string | null, body: ReturnType<typeof bodyOf>) => {
    const { token } = await gateway.pairing.createLink('ada', { machineId, makesDefault: false });
    return { token, reply: await gateway.daemon.init(token, body) };
  };
  const names = async () =>
    (await gateway.machines.summaries('ada'))
      .map(({ name, isDefault }) => (isDefault ? `${name}*` : name))
      .toSorted();
  return { gateway, pair, names };
};

it('a link of the list of machines leaves the default as it is; the reply names the machine', async () => {
  const { pair, names } = await open();
  const { reply } = await pair(null, bodyOf('desk'));
  expect(reply.machine).toEqual({ id: expect.any(String), name: 'desk', isDefault: false });
  expect(await names()).toEqual(['desk', 'laptop*']);
});

it('the pairing of the server itself replaces no token, and no token replaces it', async () => {
  const { gateway, names } = await open();
  const purpose = { machineId: null, makesDefault: false };
  const shown = await gateway.pairing.createLink('ada', purpose);
  const own = await gateway.pairing.createServerToken('ada');
  expect((await gateway.pairing.createLink('ada', purpose)).token).toBe(shown.token);
  expect(await gateway.pairing.list('ada')).toHaveLength(1);

  await gateway.daemon.init(own, bodyOf('server'));
  expect((await gateway.pairing.createLink('ada', purpose)).token).toBe(shown.token);
  await gateway.daemon.init(shown.token, bodyOf('desk'));

  const next = await gateway.pairing.createServerToken('ada');
  await gateway.pairing.createLink('ada', { ...purpose, makesDefault: true });
  await gateway.daemon.init(next, bodyOf('studio'));
  expect(await names()).toEqual(['desk', 'laptop*', 'server', 'studio']);
});

it('the token of the server itself ends after five minutes, by its use and with the keys of its user', async () => {
  const { gateway } = await open();
  const refused = (of: string) =>
    expect(gateway.daemon.init(of, bodyOf('server'))).rejects.toMatchObject({ code: expect.any(String) });
  const token = () => gateway.pairing.createServerToken('ada');
  const [used, revoked] = [await token(), await token()];
  await gateway.daemon.init(used, bodyOf('server'));
  await refused(used);
  await gateway.pairing.revokeUser('ada');
  await refused(revoked);
  const late = await token();
  fixture.clock.advance(5 * 60_000);
  await refused(late);
});

it('a link for one machine gives that machine to another computer', async () => {
  const { gateway, pair, names } = await open();
  const laptop = await gateway.machines.find('ada', 'laptop');
  const { reply } = await pair(laptop.machineId, bodyOf('desk'));
  expect(reply.machine).toMatchObject({ id: laptop.machineId, name: 'laptop' });
  expect(await names()).toEqual(['laptop*']);
});

it('a daemon says its name when it pairs; a name that is taken is refused, and the token stays good', async () => {
  const { gateway, pair, names } = await open();
  const taken = pair(null, bodyOf('desk', { name: 'laptop' }));
  await expect(taken).rejects.toMatchObject({ code: 'MACHINE_NAME_TAKEN' });
  const { reply } = await pair(null, bodyOf('desk', { name: 'studio' }));
  await gateway.daemon.init(reply.sessionKey ?? '', bodyOf('desk', { name: 'other' }));
  expect(await names()).toEqual(['laptop*', 'studio']);
});

it('refused daemons are published to the person whose token they had alone', async () => {
  const { gateway, pair } = await open();
  const seen: [string, RefusedPairing][] = [];
  for (const user of ['ada', 'ben'])
    gateway.machines.onRefused(user, (refused) => void seen.push([user, refused]));
  const { token } = await pair(null, bodyOf('desk'));
  await expect(gateway.daemon.init(token, bodyOf('spare'))).rejects.toMatchObject({
    code: 'PAIRING_TOKEN_USED',
  });
  await expect(gateway.daemon.init(`gw_${'x'.repeat(32)}`, bodyOf('spare'))).rejects.toMatchObject({
    code: 'FORBIDDEN',
  });
  expect(seen).toEqual([
    ['ada', { code: 'PAIRING_TOKEN_USED', hostIdentifier: 'ada@spare', at: expect.any(String) }],
  ]);
});
