import { presenceParams } from '@drawbridge/contracts/rpc/nodes';
import { expect, it, onTestFinished } from 'vitest';
import { openGateway } from '../../test/gateway-fixture.ts';
import { createLossyHub, type Fate } from '../../test/lossy-bus.ts';
import { createTestProcess } from '../../test/test-process.ts';
import { createSealer } from '../secrets/index.ts';
import { createCompanions } from './companions.ts';
import { createCompanionsStore } from './companions.store.ts';
import { createPresence } from './presence.ts';
import { createPresenceStore } from './presence.store.ts';

const notPushed = () => Promise.reject(new Error('nothing is pushed here'));

/** Two servers of one store. */
const openTwo = async (fate: Fate = 'arrives') => {
  const fixture = await openGateway();
  const { clock, errors, database } = fixture;
  await fixture.gateway.stop();
  const onError = (error: unknown) => void errors.push(error);
  const hub = createLossyHub({ clock, fate: () => fate, onError });
  onTestFinished(async () => {
    await fixture.close();
    expect(errors).toEqual([]);
  });
  const join = async (id: string) => {
    const process = createTestProcess(clock, hub.open(id, { pollMs: 2_000 }));
    const { gateway, server } = await fixture.join(process);
    const { db } = database;
    const companions = createCompanions({
      server,
      gates: async () => ({ enabled: true, location: true, push: true }),
      companions: createCompanionsStore(db),
      push: { set: notPushed, ofUser: async () => [], send: notPushed },
      sealer: createSealer('of all servers'),
      onError,
    });
    const presence = createPresence({ server, store: createPresenceStore(db), onError });
    const replaced: string[] = [];
    const register = (connectionId: string, nodeId = 'phone') =>
      companions.register(
        {
          id: connectionId,
          userId: 'ada',
          principal: 'token 1',
          isOpen: () => true,
          onReplaced: () => replaced.push(connectionId),
        },
        { nodeId, role: 'companion', protocolVersion: 1, capabilities: ['status'] },
      );
    const seen = async () => {
      const { presence: list } = await presence.ofUser('ada', [], presenceParams.parse({}));
      return list.map(({ senderName, messageCount, status }) => ({ senderName, messageCount, status }));
    };
    const nodes = async () =>
      (await companions.list('ada')).map(({ id: nodeId, connected }) => ({ nodeId, connected }));
    return { ...process, gateway, server, companions, presence, replaced, register, seen, nodes };
  };
  return { clock, database, one: await join('one'), two: await join('two') };
};

const place = { latitude: 37.7749, longitude: -122.4194 };

it('a companion at one server is seen at the other with its reports, and leaves there too', async () => {
  const { one, two, database } = await openTwo();
  await one.register('c1');
  await one.companions.setStatus('c1', { platform: 'ios' });
  await one.companions.setLocation('c1', place);
  expect(await two.companions.list('ada')).toMatchObject([
    { id: 'phone', connected: true, status: { platform: 'ios' }, location: place },
  ]);
  const [row] = await database.db.selectFrom('companions').selectAll().execute();
  expect(JSON.stringify(row)).not.toContain('37.7749');
  await one.companions.leave('c1');
  expect(await two.companions.list('ada')).toMatchObject([{ connected: false, location: place }]);
});

it.each<[string, Fate, number]>([
  ['at once', 'arrives', 0],
  ['2 s later where the message is lost', 'is lost', 2_000],
])('one that registers at another server replaces it, %s', async (_, fate, laterMs) => {
  const { one, two, clock } = await openTwo(fate);
  await one.register('c1');
  await one.companions.setStatus('c1', { platform: 'ios' });
  await two.register('c2');
  await clock.settle(laterMs);
  expect([one.replaced, two.replaced]).toEqual([['c1'], []]);
  await one.companions.leave('c1');
  expect(await one.companions.list('ada')).toMatchObject([{ connected: true, status: { platform: 'ios' } }]);
});

it('one that was replaced and does not know it yet reports nothing', async () => {
  const { one, two } = await openTwo('is lost');
  await one.register('c1');
  await two.register('c2');
  await expect(one.companions.setStatus('c1', { platform: 'old' })).rejects.toMatchObject({
    code: 'BAD_REQUEST',
  });
  expect([one.replaced, await two.companions.list('ada')]).toMatchObject([['c1'], [{ status: null }]]);
});

it('what a killed server leaves is away within 10 s; one that was suspended gets its companions back', async () => {
  const { one, two, clock } = await openTwo();
  await one.register('c1');
  one.presence.sent({ userId: 'ada', channel: 'ws', senderId: 't1', senderName: 'Desk' });
  one.presence.opened({ userId: 'ada', channel: 'ws', senderId: 't1', senderName: 'Desk' });
  await clock.settle(2_000);
  expect(await two.seen()).toEqual([{ senderName: 'Desk', messageCount: 1, status: 'online' }]);
  one.suspend(true);
  await clock.settle(10_000);
  expect([await two.nodes(), await two.seen()]).toEqual([[{ nodeId: 'phone', connected: false }], []]);
  // It closes what the other one has left.
  await clock.settle(4_000);
  await two.register('c2', 'tablet');
  one.suspend(false);
  await clock.settle(4_000);
  expect(await two.nodes()).toEqual([
    { nodeId: 'tablet', connected: true },
    { nodeId: 'phone', connected: true },
  ]);
  expect([one.replaced, await two.seen()]).toEqual([
    [],
    [{ senderName: 'Desk', messageCount: 1, status: 'online' }],
  ]);
});

it('a companion that went to another server while its own was suspended stays there', async () => {
  const { one, two, clock } = await openTwo();
  await one.register('c1');
  one.suspend(true);
  await clock.settle(14_000);
  await two.register('c2');
  one.suspend(false);
  await clock.settle(4_000);
  expect([one.replaced, two.replaced]).toEqual([['c1'], []]);
  expect(await one.nodes()).toEqual([{ nodeId: 'phone', connected: true }]);
});

it('presence is the sum over the servers; rows of a server that is gone are deleted', async () => {
  const { one, two, clock, database } = await openTwo();
  const desk = { userId: 'ada', channel: 'mcp', senderId: 't1', senderName: 'Desk' };
  const close = one.presence.opened(desk);
  for (const server of [one, two, two]) server.presence.sent(desk);
  await clock.settle(2_000);
  for (const server of [one, two])
    expect(await server.seen()).toEqual([{ senderName: 'Desk', messageCount: 3, status: 'online' }]);
  const all = await two.presence.ofAll(presenceParams.parse({}));
  expect(all.presence).toMatchObject([{ firstSeenAt: all.presence[0]?.firstSeenAt, messageCount: 3 }]);
  await clock.settle(6 * 60_000);
  expect(await two.seen()).toMatchObject([{ status: 'online' }]);
  close();
  await clock.settle(6 * 60_000);
  expect(await two.seen()).toMatchObject([{ messageCount: 3, status: 'offline' }]);
  one.suspend(true);
  await clock.settle(14_000);
  const owners = await database.db.selectFrom('presence').select('serverId').execute();
  expect(owners).toEqual([{ serverId: 'two' }]);
});

it('the hundred that were there last are remembered, for a day', async () => {
  const { one, two, clock, database } = await openTwo();
  await one.register('c1');
  const [row] = await database.db.selectFrom('companions').selectAll().execute();
  if (!row) throw new Error('a companion');
  const older = Array.from({ length: 100 }, (_, number) => ({
    ...row,
    // A server that is gone.
    serverId: 'gone',
    connectionId: `gone ${number}`,
    key: `k${number}`,
    nodeId: `n${number}`,
    at: row.at - number - 1,
  }));
  await database.db.insertInto('companions').values(older).execute();
  await two.register('c2', 'tablet');
  const names = (await one.nodes()).map(({ nodeId }) => nodeId);
  expect([names.length, names.includes('phone'), names.includes('n97'), names.includes('n98')]).toEqual([
    100,
    true,
    true,
    false,
  ]);
  const at = clock.now() - 24 * 60 * 60_000 - 1;
  await database.db.updateTable('companions').set({ at }).execute();
  const connected = [
    { nodeId: 'tablet', connected: true },
    { nodeId: 'phone', connected: true },
  ];
  const sorted = async () => (await one.nodes()).toSorted((a, b) => b.nodeId.localeCompare(a.nodeId));
  expect(await sorted()).toEqual(connected);
  await one.companions.forgetOld();
  expect(await database.db.selectFrom('companions').select('nodeId').execute()).toHaveLength(2);
});
