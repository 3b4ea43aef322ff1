import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { createFakeClock, systemClock } from '@drawbridge/kit';
import { sql } from 'kysely';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { newGatewayFolder } from '../../../test/new-store.ts';
import { storeUrl } from '../../../test/store-place.ts';
import { isStoreTrouble, migrate, openStore, OutdatedError, type OpenDatabase } from '../index.ts';

let url: string | undefined;
let store: OpenDatabase;
const clock = createFakeClock();

const open = async (more = ''): Promise<OpenDatabase> => {
  const opened = await openStore({ url: `${url}${more}`, dataDir: '' }, clock);
  onTestFinished(opened.close);
  return opened;
};

beforeEach(async () => {
  url = storeUrl(await newGatewayFolder());
  store = await open();
});

const put = (scope: string, disabled = 0) =>
  store.db.insertInto('gatewaySwitches').values({ scope, disabled }).compile();
const change = (scope: string, disabled: number) =>
  store.db.updateTable('gatewaySwitches').set({ disabled }).where('scope', '=', scope).compile();
const stored = async () =>
  (await store.db.selectFrom('gatewaySwitches').selectAll().orderBy('scope').execute()).map(
    ({ scope, disabled }) => `${scope} ${disabled}`,
  );

it('writes all or nothing, at every durability, and counts the rows', async () => {
  await store.commit([put('one')], 'lazy');
  await store.commit([put('two'), put('three')], 'kept');
  await expect(store.commit([put('four'), put('one')], 'synced')).rejects.toMatchObject({ code: '23505' });
  const outdated = { query: change('none', 1), rows: 1 } as const;
  await expect(store.commit([change('one', 1), outdated], 'synced')).rejects.toBeInstanceOf(OutdatedError);
  await expect(store.commit([outdated], 'lazy')).rejects.toBeInstanceOf(OutdatedError);
  await store.commit([{ query: change('two', 1), rows: 1 }], 'synced');
  expect(await stored()).toEqual(['one 0', 'three 0', 'two 1']);
});

it('writes without a sync only what is lazy', async () => {
  const level = (scope: string) =>
    sql`insert into "gatewaySwitches" select ${scope} || current_setting('synchronous_commit'), 0`.compile(
      store.db,
    );
  for (const durability of ['lazy', 'kept', 'synced'] as const) {
    await store.commit([level(`${durability}: `)], durability);
    await store.commit([level(`${durability}, of two: `), put(durability)], durability);
  }
  expect((await stored()).filter((row) => row.includes(':'))).toEqual([
    'kept, of two: on 0',
    'kept: on 0',
    'lazy, of two: off 0',
    'lazy: off 0',
    'synced, of two: on 0',
    'synced: on 0',
  ]);
});

it('runs a transaction again that was in the way of another one', async () => {
  await store.commit([put('one'), put('two')], 'synced');
  const add = (scope: string) =>
    sql`update "gatewaySwitches" set "disabled" = "disabled" + 1 where "scope" = ${scope}`.compile(store.db);
  const wait = sql`select pg_sleep(0.05)`.compile(store.db);
  await Promise.all([
    store.commit([add('one'), wait, add('two')], 'synced'),
    store.commit([add('two'), wait, add('one')], 'synced'),
  ]);
  expect(await stored()).toEqual(['one 2', 'two 2']);
});

it('keeps a text without its NUL, and numbers as numbers', async () => {
  await store.commit([put('a\0b')], 'synced');
  expect(await stored()).toEqual(['a\uFFFDb 0']);
  const { rows } = await sql`select 9007199254740991::bigint as big, sum(2.5) as part`.execute(store.db);
  expect(rows).toEqual([{ big: Number.MAX_SAFE_INTEGER, part: 2.5 }]);
});

it('goes on after Postgres has closed its connections, and says what was in the way', async () => {
  const other = await open();
  await Promise.all(Array.from({ length: 8 }, (_, at) => store.commit([put(`${at}`)], 'synced')));
  const slow = sql`select pg_sleep(30)`.execute(store.db).catch((error: unknown) => error);
  const sleeping = sql`select 1 from pg_stat_activity where query like '%pg_sleep(30)%' and pid <> pg_backend_pid()`;
  await expect.poll(async () => (await sleeping.execute(other.db)).rows.length).toBe(1);
  const ended = await sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`.execute(other.db);
  expect(ended.rows.length).toBeGreaterThan(2);
  expect(isStoreTrouble(await slow)).toBe(true);
  await expect.poll(() => store.commit([put('after')], 'synced').then(() => 'stored', String)).toBe('stored');
  expect(await stored()).toHaveLength(9);
});

/** The url of the store behind a port that answers after `ms`, and how many connections were made to it. */
const behindSlowPort = async (ms: number) => {
  const to = new URL(url ?? '');
  let made = 0;
  const relay = createServer((socket: Socket) => {
    made += 1;
    const away = connect(Number(to.port), to.hostname);
    for (const one of [socket, away]) one.on('error', () => {});
    socket.on('close', () => away.destroy());
    systemClock.after(ms, () => socket.pipe(away).pipe(socket));
  }).listen(0, '127.0.0.1');
  await once(relay, 'listening');
  onTestFinished(() => void relay.close());
  const slow = new URL(to);
  slow.port = String((relay.address() as AddressInfo).port);
  slow.searchParams.set('connect_timeout', '0.1');
  return { url: slow.href, made: () => made };
};

it('uses a connection that was made too late for the one who asked for it', async () => {
  const slow = await behindSlowPort(500);
  const { db, commit, close } = await openStore({ url: slow.url, dataDir: '' });
  onTestFinished(close);
  const error = await commit([put('early')], 'synced').catch((thrown: unknown) => thrown);
  expect(isStoreTrouble(error)).toBe(true);
  await expect.poll(() => commit([put('late')], 'synced').then(() => 'stored', String)).toBe('stored');
  const read = () => sql`select 1`.execute(db).then(() => 'read', String);
  await expect.poll(read).toBe('read');
  // Of the kind for single writes there are two, and one read after the other asked for each of the pool.
  expect(slow.made()).toBeLessThanOrEqual(10);
});

it('reads a table whose columns have changed since a statement was prepared', async () => {
  const read = () => store.db.selectFrom('gatewaySwitches').selectAll().execute();
  await store.commit([put('one')], 'synced');
  for (let time = 0; time < 3; time += 1) await read();
  await sql`alter table "gatewaySwitches" add column "more" integer`.execute(store.db);
  onTestFinished(async () => {
    const { db, close } = await openStore({ url, dataDir: '' });
    await sql`alter table "gatewaySwitches" drop column "more"`.execute(db);
    await close();
  });
  expect(await read()).toMatchObject([{ scope: 'one', more: null }]);
});

it('caches a row until its own writes, and half a second for those of others', async () => {
  const other = await open();
  await store.commit([put('one')], 'synced');
  const read = store.cacheRows(async (scope) =>
    store.db.selectFrom('gatewaySwitches').select('disabled').where('scope', '=', scope).executeTakeFirst(),
  );
  const seen = async () => (await read('one'))?.disabled;
  expect(await seen()).toBe(0);
  await store.changeRights(() => store.commit([change('one', 1)], 'synced'));
  expect(await seen()).toBe(1);
  await other.commit([change('one', 3)], 'synced');
  expect(await seen()).toBe(1);
  clock.advance(500);
  expect(await seen()).toBe(3);
});

it('gives the time of Postgres', async () => {
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(store.db);
  expect(Math.abs((await store.now()) - (rows[0]?.now.getTime() ?? 0))).toBeLessThan(10_000);
  const { before, after } = await store.db
    .selectNoFrom(({ fn, val }) => [
      fn('pg_sleep', [val(0.05)]).as('slept'),
      store.readTime().as('before'),
      sql<number>`floor(extract(epoch from clock_timestamp()) * 1000)`.as('after'),
    ])
    .executeTakeFirstOrThrow();
  expect(after - before).toBeGreaterThanOrEqual(50);
});

it('closes while queries still run', async () => {
  const { db, commit, close } = await openStore({ url, dataDir: '' });
  const writes = Array.from({ length: 30 }, (_, at) => commit([put(`${at}`), put(`${at} again`)], 'synced'));
  const reads = Array.from({ length: 30 }, () => sql`select 1`.execute(db));
  await close();
  await Promise.all([...writes, ...reads]);
  expect(await stored()).toHaveLength(60);
});

it('has no time in a column that is too small for it, and compares texts by their bytes', async () => {
  const { rows } = await sql<{ column: string }>`
    select table_name || '.' || column_name as column from information_schema.columns
    where table_schema = 'public' and table_name not like 'kysely%' and (
      (column_name like '%At' and data_type not in ('bigint', 'timestamp with time zone'))
      or (data_type = 'text' and coalesce(collation_name, '') <> 'C'))`.execute(store.db);
  expect(rows).toEqual([]);
});

it.each([
  [
    'postgres://ann:pass%20word@127.0.0.1:1/none',
    'The store 127.0.0.1:1/none of DATABASE_URL cannot be opened',
  ],
  ['postgres://ann:pass word@', 'DATABASE_URL is not a valid url'],
  ['postgres://ann:pass%20word@127.0.0.1:1/none?connect_timeout=soon', 'DATABASE_URL is not a valid url'],
])('refuses %s without repeating its password', async (given, message) => {
  const run = async () => {
    const { whileMigrating, close } = await openStore({ url: given, dataDir: '' });
    onTestFinished(close);
    return whileMigrating(migrate);
  };
  const error = await run().catch((thrown: unknown) => thrown);
  expect(String(error)).toContain(message);
  expect(JSON.stringify([String(error), error, Object.entries(error ?? {})])).not.toMatch(/pass( |%20)word/);
});
