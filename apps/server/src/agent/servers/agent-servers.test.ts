import { insert } from '@drawbridge/agent';
import { expect, it, onTestFinished } from 'vitest';
import { agentRow, threadRow } from '../../../../../packages/agent/test/rows.ts';
import { openGateway } from '../../../test/gateway-fixture.ts';
import { createLossyHub } from '../../../test/lossy-bus.ts';
import { createTestProcess } from '../../../test/test-process.ts';
import { createAgentStore } from '../store/agent.store.ts';
import { createAgentServers } from './agent-servers.ts';

const key = { userId: 'ada', threadId: 'thread' };
const noFence = -1;

/** Two servers, and a thread that neither drives. */
const openTwo = async () => {
  const fixture = await openGateway();
  onTestFinished(fixture.close);
  const { clock, database, errors } = fixture;
  await fixture.gateway.stop();
  const hub = createLossyHub({ clock, fate: () => 'arrives', onError: (error) => void errors.push(error) });
  const join = async (id: string) => {
    const process = createTestProcess(clock, hub.open(id, { pollMs: 2_000 }));
    const { server, store } = await fixture.join(process);
    return { ...process, servers: createAgentServers(server, store) };
  };
  const agents = createAgentStore({ ...database, onError: (error) => void errors.push(error) });
  const add = (...writes: Parameters<typeof agents.commit>[0]) => agents.commit(writes, 'kept');
  await add(insert('agentThreads', threadRow(key.userId, key.threadId)));
  return { clock, database, add, one: await join('one'), two: await join('two') };
};

it('a thread that another server has taken is forgotten, and one that is taken meanwhile is not', async () => {
  const { clock, one, two } = await openTwo();
  const reading = one.servers.driven();
  expect(await one.servers.take(key)).toMatchObject({ driverId: 'one', fence: 1 });
  await reading;
  expect(one.servers.driverOf(key).fence).toBe(1);
  expect(await one.servers.driven()).toMatchObject([{ fence: 1 }]);
  expect(one.servers.driverOf(key).fence).toBe(1);
  one.suspend(true);
  await clock.settle(14_000);
  expect(await two.servers.take(key)).toMatchObject({ fence: 2, hasCrashed: true });
  expect(await one.servers.driven()).toEqual([]);
  expect(one.servers.driverOf(key).fence).toBe(noFence);
});

it('of two servers that take a thread at the same moment one has it', async () => {
  const { database, one, two } = await openTwo();
  const both = await Promise.all([one.servers.take(key), two.servers.take(key)]);
  expect(both.filter((taken) => taken === 'elsewhere')).toHaveLength(1);
  const rows = await database.db.selectFrom('agentThreads').select(['driverId', 'fence']).execute();
  expect(rows).toMatchObject([{ fence: 1 }]);
});

it('a thread with an open agent stays with its server', async () => {
  const { database, one, add } = await openTwo();
  const driven = await one.servers.take(key);
  if (typeof driven !== 'object') throw new Error('it is free');
  await add(insert('agentAgents', agentRow(key.userId, 'ag_1', { threadId: key.threadId })));
  expect(await one.servers.release(driven)).toBe(false);
  await database.db.updateTable('agentAgents').set({ state: 'ended' }).execute();
  expect(await one.servers.release(driven)).toBe(true);
});

it('a caller at another server learns that the store does not answer, and no other fault of this one', async () => {
  const { one } = await openTwo();
  const locked = Object.assign(new Error('canceling statement due to lock timeout'), { code: '55P03' });
  expect(one.servers.coded(locked).code).toBe('STORE_UNAVAILABLE');
  expect(one.servers.coded(new Error('a fault')).code).toBe('INTERNAL');
});
