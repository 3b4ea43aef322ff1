import type { InitBody } from '@drawbridge/contracts/daemon-surface';
import { expect, it } from 'vitest';
import { machineStatus } from '../../callers/index.ts';
import {
  callerOf,
  connect,
  ended,
  idOf,
  initBody,
  openStream,
  text,
  useGateway,
  runCall,
} from '../../../test/gateway-fixture.ts';

const fixture = useGateway();
const read = { name: 'read_file', arguments: {} };
const daemon = (instance: string): InitBody['daemon'] => ({
  version: '0.1.0',
  protocol: 1,
  features: ['resume'],
  instance,
});

/** Two machines of one user, paired in this order. */
const pairTwo = async (laptop: Partial<InitBody> = {}, desk: Partial<InitBody> = {}) => {
  await fixture.open();
  const { gateway } = fixture;
  const first = await connect(gateway, 'ada', initBody({ hostIdentifier: 'ada@laptop.local', ...laptop }));
  const second = await connect(gateway, 'ada', initBody({ hostIdentifier: 'ada@desk', ...desk }));
  return { gateway, clock: fixture.clock, first, second };
};

const namesOf = async (userId: string) => {
  const rows = await fixture.database.db
    .selectFrom('machines')
    .select('name')
    .where('userId', '=', userId)
    .orderBy('createdAt')
    .orderBy('initAt')
    .execute();
  return rows.map(({ name }) => name).toSorted();
};

const keysThatHold = async () => {
  const rows = await fixture.database.db
    .selectFrom('gatewayKeys')
    .innerJoin('machines', 'machines.id', 'gatewayKeys.machineId')
    .select('machines.name')
    .where('gatewayKeys.kind', '=', 'session')
    .where('revokedAt', 'is', null)
    .execute();
  return rows.map(({ name }) => name).toSorted();
};

it('keeps each connected, with a name, and the last that was paired is the default', async () => {
  const { gateway, first, second } = await pairTwo();
  expect([first.stream.isClosed(), second.stream.isClosed()]).toEqual([false, false]);
  expect(await namesOf('ada')).toEqual(['desk', 'laptop']);
  expect(await machineStatus(gateway, { userId: 'ada' })).toMatchObject({ hostIdentifier: 'ada@desk' });
  expect(await machineStatus(gateway, { userId: 'ada', machineId: 'laptop' })).toMatchObject({
    state: 'online',
    hostIdentifier: 'ada@laptop.local',
  });
});

it('an init of one leaves the other connected', async () => {
  const { gateway, first, second } = await pairTwo();
  await gateway.daemon.init(first.key, initBody({ hostIdentifier: 'ada@laptop.local' }));
  await openStream(gateway, first.key);
  expect(second.stream.isClosed()).toBe(false);
  expect(await machineStatus(gateway, { userId: 'ada' })).toMatchObject({ hostIdentifier: 'ada@desk' });
});

it('sends a call to the machine that it names, and to no other', async () => {
  const { gateway, clock, first, second } = await pairTwo();
  const running = runCall(gateway, { ref: await gateway.machines.find('ada', 'laptop'), call: read }, ended);
  await clock.settle();
  expect([first.stream.requests().length, second.stream.requests().length]).toEqual([1, 0]);
  // The key of another machine of the same user answers none of its calls.
  await expect(gateway.daemon.respond(second.key, idOf(first.stream), text('x'))).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
  await gateway.daemon.respond(first.key, idOf(first.stream), text('hi'));
  expect(await running).toMatchObject({ state: 'succeeded' });
});

it('refuses a call to an offline machine and names the connected ones', async () => {
  const { gateway, first, second } = await pairTwo();
  await gateway.daemon.disconnect(second.key);
  await expect(callerOf(gateway, 'ada').run(read, ended)).rejects.toMatchObject({
    code: 'NOT_CONNECTED',
    message: 'The machine desk is not connected; connected: laptop',
  });
  expect(first.stream.requests()).toEqual([]);
});

it('a machine that is paired again loses its older keys, and the other keeps its own', async () => {
  const { gateway, first, second } = await pairTwo({ daemon: daemon('one') }, { daemon: daemon('two') });
  const { token } = await gateway.pairing.createLink('ada');
  await gateway.daemon.init(token, initBody({ hostIdentifier: 'renamed', daemon: daemon('one') }));
  expect([first.stream.isClosed(), second.stream.isClosed()]).toEqual([true, false]);
  expect([await namesOf('ada'), await keysThatHold()]).toEqual([
    ['desk', 'laptop'],
    ['desk', 'laptop'],
  ]);
  await expect(openStream(gateway, first.key)).rejects.toMatchObject({ code: 'FORBIDDEN' });
});

it('two installations on hosts of one name are two machines', async () => {
  const same = { hostIdentifier: 'ada@laptop' };
  const { first, second } = await pairTwo(
    { ...same, daemon: daemon('one') },
    { ...same, daemon: daemon('two') },
  );
  expect([first.stream.isClosed(), second.stream.isClosed()]).toEqual([false, false]);
  expect(await namesOf('ada')).toEqual(['laptop', 'laptop-2']);
});

it('a daemon that names no installation is the machine of its host, and never one of those that do', async () => {
  const host = { hostIdentifier: 'ada@laptop' };
  const { gateway, first, second } = await pairTwo(
    { ...host, daemon: daemon('one') },
    { ...host, daemon: undefined },
  );
  expect([first.stream.isClosed(), second.stream.isClosed()]).toEqual([false, false]);
  await connect(gateway, 'ada', initBody({ ...host, daemon: undefined }));
  expect([first.stream.isClosed(), second.stream.isClosed()]).toEqual([false, true]);
  expect(await namesOf('ada')).toEqual(['laptop', 'laptop-2']);
});

it('a user has 20 machines; the next one is refused, and its pairing token stays good', async () => {
  await fixture.open();
  const { gateway } = fixture;
  const body = (number: number) => initBody({ daemon: daemon(`installation-${number}`) });
  for (let number = 1; number <= 20; number += 1) await connect(gateway, 'ada', body(number));
  const { token } = await gateway.pairing.createLink('ada');
  await expect(gateway.daemon.init(token, body(21))).rejects.toMatchObject({ code: 'TOO_MANY_MACHINES' });
  expect((await namesOf('ada')).length).toBe(20);
  await expect(gateway.daemon.init(token, body(1))).resolves.toMatchObject({ ok: true });
  await connect(gateway, 'ben', body(21));
});
