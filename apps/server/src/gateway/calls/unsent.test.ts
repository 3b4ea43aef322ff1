import { expect, it } from 'vitest';
import { initBody, openStream, text } from '../../../test/gateway-fixture.ts';
import { useTwo } from '../../../test/two-servers.ts';

/** A server whose stream takes nothing, and that stores the change of a call only when it is released. */
const joinSlow = async (world: Awaited<ReturnType<typeof useTwo>>) => {
  const { promise, resolve: release } = Promise.withResolvers<void>();
  const slow = await world.join('slow', (store) => ({
    ...store,
    commit: async (writes, durability) => {
      const changesCall = writes.some(
        (write) => 'rows' in write && write.query.sql.startsWith('update "calls"'),
      );
      if (changesCall) await promise;
      return store.commit(writes, durability);
    },
  }));
  const takesNothing = { send: () => false, ready: () => Promise.resolve(), close: () => {} };
  await slow.gateway.daemon.openStream(world.key, takesNothing);
  return { ...slow, release };
};

it('a new call that its stream did not take, and that a newer stream elsewhere has sent, stays sent', async () => {
  const world = await useTwo();
  const slow = await joinSlow(world);
  const call = await world.start(slow.gateway);
  const newer = await openStream(world.two.gateway, world.key);
  await world.clock.settle();
  expect(newer.requests()).toMatchObject([{ requestId: call.requestId, again: true }]);
  slow.release();
  await world.clock.settle();
  expect(await world.rowOf(call.requestId)).toMatchObject({ state: 'delivered' });
  await world.two.gateway.daemon.respond(world.key, call.requestId, text('written'));
  await world.clock.settle(5_000);
  expect([newer.requests().length, call.end]).toEqual([1, { state: 'succeeded', code: null }]);
});

it('one for a daemon that gets nothing twice is sent by the newer stream', async () => {
  const world = await useTwo({ body: initBody({ daemon: undefined }) });
  const slow = await joinSlow(world);
  const call = await world.start(slow.gateway);
  const newer = await openStream(world.two.gateway, world.key);
  await world.clock.settle();
  expect(newer.requests()).toEqual([]);
  slow.release();
  await world.clock.settle(5_000);
  expect(newer.requests()).toMatchObject([{ requestId: call.requestId }]);
});
