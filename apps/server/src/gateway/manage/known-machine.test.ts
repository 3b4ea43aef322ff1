import { disconnectMachine, knownMachine } from '../../callers/index.ts';
import { expect, it } from 'vitest';
import { initBody, useGateway, watchStatus } from '../../../test/gateway-fixture.ts';

const fixture = useGateway();

const modes = { filesystemRead: 'allow', shell: 'ask' } as const;
const reconnect = "drawbridge connect --dir '/home/ada/my notes'";
const body = initBody({
  modes,
  daemon: { version: '0.1.0', protocol: 1, features: [], reconnect },
});

it('a machine stays known while offline, after a restart, and after its pairing has ended', async () => {
  await fixture.open();
  const { gateway, clock } = fixture;
  expect(await knownMachine(gateway, { userId: 'ada' })).toBe(null);
  const { key } = await fixture.connect('ada', body);
  const here = {
    name: 'ada-laptop',
    folder: '/home/ada/notes',
    version: '0.1.0',
    lastSeenAt: null,
    isPaired: true,
    modes,
    reconnect,
  };
  expect(await knownMachine(gateway, { userId: 'ada' })).toEqual(here);
  await gateway.daemon.setTools(key, { tools: [], modes: { shell: 'deny' } });
  await gateway.daemon.leave(key);
  const lastSeenAt = new Date(clock.now()).toISOString();
  const away = { ...here, lastSeenAt, modes: { shell: 'deny' } };
  await clock.settle(60_000);
  expect(await knownMachine(gateway, { userId: 'ada' })).toEqual(away);
  await fixture.crash();
  await clock.settle(60_000);
  expect(await knownMachine(fixture.gateway, { userId: 'ada' })).toEqual(away);
  expect(await knownMachine(fixture.gateway, { userId: 'ben' })).toBe(null);
  await disconnectMachine(fixture.gateway, { userId: 'ada' });
  expect(await knownMachine(fixture.gateway, { userId: 'ada' })).toEqual({ ...away, isPaired: false });
});

it('publishes a change of the modes', async () => {
  await fixture.open();
  const { gateway, clock } = fixture;
  const { key } = await fixture.connect('ada', body);
  let heard = 0;
  watchStatus(gateway, 'ada', () => void (heard += 1));
  await clock.settle();
  await gateway.daemon.setTools(key, { tools: body.tools, modes: { shell: 'deny' } });
  await clock.settle();
  expect(heard).toBe(1);
});
