import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sql, type Kysely } from 'kysely';
import { createGroupCommit, type Durability } from './group-commit.ts';
import { migrate } from './migrate.ts';
import { openDatabase, type OpenDatabase } from './open-database.ts';
import type { Schema } from './schema.ts';

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

const scopes = async () => {
  const rows = await store.db.selectFrom('gatewaySwitches').select('scope').orderBy('scope').execute();
  return rows.map((row) => row.scope);
};

describe('writes that arrive together', () => {
  it('are all kept, in one transaction', async () => {
    const commit = createGroupCommit(store.db);
    const inTransaction: boolean[] = [];
    const all = ['a', 'b', 'c'].map((scope) =>
      commit(async (on) => {
        inTransaction.push(on.isTransaction);
        await on.insertInto('gatewaySwitches').values({ scope, disabled: 1 }).execute();
        return scope;
      }, 'synced'),
    );
    expect(await Promise.all(all)).toEqual(['a', 'b', 'c']);
    expect([await scopes(), inTransaction]).toEqual([
      ['a', 'b', 'c'],
      [true, true, true],
    ]);
  });

  it('fail alone', async () => {
    const commit = createGroupCommit(store.db);
    const all = ['a', 'a', 'b'].map((scope) =>
      commit((on) => on.insertInto('gatewaySwitches').values({ scope, disabled: 1 }).execute(), 'synced'),
    );
    const ends = (await Promise.allSettled(all)).map((one) => one.status);
    expect(ends).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await scopes()).toEqual(['a', 'b']);
    await commit((on) => on.deleteFrom('gatewaySwitches').execute(), 'synced');
    expect(await scopes()).toEqual([]);
  });

  it.each<[string, Durability[], number]>([
    ['one that is synced', ['synced'], 2],
    ['one that is kept', ['kept'], 1],
    ['several that are kept', ['kept', 'kept'], 1],
    ['those that come with one that is synced', ['kept', 'synced'], 2],
  ])('sync the disk when one of them must: %s', async (_name, durabilities, expected) => {
    const commit = createGroupCommit(store.db);
    const synchronous = () => sql<{ synchronous: number }>`pragma synchronous`;
    const level = async (on: Kysely<Schema>) => (await synchronous().execute(on)).rows;
    const levels = await Promise.all(durabilities.map((durability) => commit(level, durability)));
    expect(levels).toEqual(durabilities.map(() => [{ synchronous: expected }]));
    expect(await level(store.db)).toEqual([{ synchronous: 2 }]);
  });
});
