import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { nextMacrotask } from '@drawbridge/kit';
import { sql } from 'kysely';
import { migrate } from '../migrate.ts';
import { openDatabase } from './open-database.ts';
import type { OpenDatabase } from '../store.ts';
import { OutdatedError, type Durability } from '../write.ts';

let folder: string;
let store: OpenDatabase;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'group-'));
  store = openDatabase({ url: undefined, dataDir: folder });
  await migrate(store.db);
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

const rows = () =>
  store.db.selectFrom('gatewaySwitches').select(['scope', 'disabled']).orderBy('scope').execute();
const scopes = async () => (await rows()).map((row) => row.scope);
const insert = (scope: string) =>
  store.db.insertInto('gatewaySwitches').values({ scope, disabled: 1 }).compile();
/** Writes down how careful the connection is while it writes: 1 without a sync, 2 with one. */
const level = (scope: string) =>
  sql`insert into "gatewaySwitches" select ${scope}, synchronous from pragma_synchronous`.compile(store.db);
/** How careful the connection is with what is written next. */
const nextLevel = async () => {
  await store.db.executeQuery(level('next'));
  return (await rows()).find((row) => row.scope === 'next')?.disabled;
};
const statuses = async (all: Promise<unknown>[]) => (await Promise.allSettled(all)).map((one) => one.status);

describe('writes that arrive together', () => {
  it('are all kept, in one transaction', async () => {
    const { commit } = store;
    // Each asks for the rows that it sees: what one transaction has written is there before it ends.
    const count = (scope: string) =>
      sql`insert into "gatewaySwitches" select ${scope}, count(*) from "gatewaySwitches"`.compile(store.db);
    await Promise.all(['a', 'b', 'c'].map((scope) => commit([count(scope)], 'synced')));
    expect(await rows()).toEqual([
      { scope: 'a', disabled: 0 },
      { scope: 'b', disabled: 1 },
      { scope: 'c', disabled: 2 },
    ]);
  });

  it('are outdated alone where one changes no row that it must change', async () => {
    const { commit, db } = store;
    await commit([insert('a')], 'synced');
    const turn = (scope: string) => ({
      query: db.updateTable('gatewaySwitches').set({ disabled: 0 }).where('scope', '=', scope).compile(),
      rows: 1 as const,
    });
    const all = [[insert('b'), turn('none')], [turn('a')], [turn('none')]].map((writes) =>
      commit(writes, 'synced'),
    );
    await expect(all[0]).rejects.toThrow(OutdatedError);
    expect(await statuses(all)).toEqual(['rejected', 'fulfilled', 'rejected']);
    expect(await rows()).toEqual([{ scope: 'a', disabled: 0 }]);
  });

  it('fail alone', async () => {
    const { commit } = store;
    const all = ['a', 'a', 'b'].map((scope) => commit([insert(scope)], 'synced'));
    expect(await statuses(all)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await scopes()).toEqual(['a', 'b']);
    await commit([store.db.deleteFrom('gatewaySwitches').compile()], 'synced');
    expect(await scopes()).toEqual([]);
  });

  it.each<Durability>(['synced', 'kept'])(
    'of several queries are %s whole or not at all',
    async (durability) => {
      const { commit } = store;
      const all = [
        commit([insert('a'), insert('b')], durability),
        commit([insert('c'), insert('a')], durability),
      ];
      expect(await statuses(all)).toEqual(['fulfilled', 'rejected']);
      expect(await statuses([commit([insert('c'), insert('a')], durability)])).toEqual(['rejected']);
      expect([await scopes(), await nextLevel()]).toEqual([['a', 'b'], 2]);
    },
  );

  it.each<[string, Durability[], number]>([
    ['one that is synced', ['synced'], 2],
    ['one that is kept', ['kept'], 1],
    ['several that are kept', ['kept', 'kept'], 1],
    ['one that trails', ['trailing'], 1],
    ['those that come with one that is synced', ['kept', 'synced'], 2],
  ])('sync the disk when one of them must: %s', async (_name, durabilities, expected) => {
    const { commit } = store;
    await Promise.all(durabilities.map((durability, at) => commit([level(`${at}`)], durability)));
    expect((await rows()).map((row) => row.disabled)).toEqual(durabilities.map(() => expected));
    expect(await nextLevel()).toBe(2);
  });

  it.each<[string, () => Promise<unknown>]>([
    ['alone', () => store.db.executeQuery(level('other'))],
    ['in a transaction', () => store.db.transaction().execute((trx) => trx.executeQuery(level('other')))],
    ['together', () => store.commit([level('other')], 'synced')],
  ])('that are kept leave what is written next %s as careful as ever', async (_name, writeNext) => {
    await store.commit([level('kept')], 'kept');
    await scopes();
    await writeNext();
    await store.commit([level('kept again')], 'kept');
    expect(await rows()).toEqual([
      { scope: 'kept', disabled: 1 },
      { scope: 'kept again', disabled: 1 },
      { scope: 'other', disabled: 2 },
    ]);
  });

  it.each<Durability>(['kept', 'synced'])(
    'that are %s come after what the turn did before',
    async (durability) => {
      const seen: string[] = [];
      const before = nextMacrotask().then(() => seen.push('sent'));
      const written = store.commit([insert('a')], durability).then(() => seen.push('written'));
      await Promise.all([before, written]);
      expect(seen).toEqual(['sent', 'written']);
    },
  );
});

describe('a write that trails', () => {
  const count = (scope: string) =>
    sql`insert into "gatewaySwitches" select ${scope}, count(*) from "gatewaySwitches"`.compile(store.db);
  const notYet = async (written: Promise<void>) =>
    expect(await Promise.race([written.then(() => 'written'), nextMacrotask()])).toBeUndefined();

  it('is there for what is read while others are gathered', async () => {
    const next = store.commit([insert('next')], 'kept');
    const trailing = store.commit([insert('trailing')], 'trailing');
    expect(await scopes()).toEqual(['trailing']);
    await Promise.all([next, trailing]);
    expect(await scopes()).toEqual(['next', 'trailing']);
  });

  it('goes with the next one', async () => {
    const seen: string[] = [];
    const trailing = store.commit([count('trailing')], 'trailing').then(() => seen.push('trailing'));
    await notYet(trailing.then(() => {}));
    await store.commit([count('next')], 'kept').then(() => seen.push('next'));
    expect(seen).toEqual(['trailing', 'next']);
  });

  it('is there for what is read next, in a transaction too', async () => {
    const trailing = store.commit([insert('trailing')], 'trailing');
    expect(await scopes()).toEqual(['trailing']);
    await trailing;
    const second = store.commit([insert('second')], 'trailing');
    expect(
      await store.db
        .transaction()
        .execute((trx) => trx.selectFrom('gatewaySwitches').select('scope').execute()),
    ).toHaveLength(2);
    await second;
  });

  it('is written soon where nothing comes, and fails alone', async () => {
    const all = ['a', 'a', 'b'].map((scope) => store.commit([insert(scope)], 'trailing'));
    expect(await statuses(all)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  it('is written before the store is closed', async () => {
    const trailing = store.commit([insert('trailing')], 'trailing');
    await store.close();
    await trailing;
    store = openDatabase({ url: undefined, dataDir: folder });
    expect(await scopes()).toEqual(['trailing']);
  });
});
