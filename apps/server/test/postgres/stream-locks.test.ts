import { sql, type RawBuilder } from 'kysely';
import { expect, it } from 'vitest';
import { openStream } from '../gateway-fixture.ts';
import { useTwo, type TwoServers } from '../two-servers.ts';

/** Runs a statement, whose transaction ends when it is released. */
const hold = async ({ database: { db } }: TwoServers, statement: RawBuilder<unknown>) => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const { promise: locked, resolve } = Promise.withResolvers<void>();
  const ended = db.transaction().execute(async (transaction) => {
    await statement.execute(transaction);
    resolve();
    await released;
  });
  await locked;
  return async () => {
    release();
    await ended;
  };
};

const waiting = async ({ database: { db } }: TwoServers) => {
  const waits = sql<{ query: string }>`select query from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  return (await waits.execute(db)).rows.map(({ query }) => query.split(' ').slice(0, 3).join(' '));
};

it('a call that is stored waits for a stream that is being opened, and is not sent on the former one', async () => {
  const world = await useTwo();
  const release = await hold(
    world,
    sql`update machines set stream = stream + 1, "serverId" = 'two'
    where id = (select id from machines for update)`,
  );
  const started = world.start(world.one.gateway);
  await expect.poll(() => waiting(world)).toEqual(['insert into "calls"']);
  await release();
  expect(await world.rowOf((await started).requestId)).toMatchObject({ state: 'pending' });
});

it('a stream that is opened waits for a call that is being stored, so that it finds the call', async () => {
  const world = await useTwo();
  const release = await hold(world, sql`select id from machines for key share`);
  const opened = openStream(world.two.gateway, world.key);
  await expect.poll(() => waiting(world)).toEqual(['update "machines" set']);
  await release();
  await opened;
});
