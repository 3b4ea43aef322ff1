import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createGroupCommit } from './group-commit.ts';
import { migrate } from './migrate.ts';
import { openDatabase, type OpenDatabase } from './open-database.ts';

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
      }),
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
      commit((on) => on.insertInto('gatewaySwitches').values({ scope, disabled: 1 }).execute()),
    );
    const ends = (await Promise.allSettled(all)).map((one) => one.status);
    expect(ends).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await scopes()).toEqual(['a', 'b']);
    await commit((on) => on.deleteFrom('gatewaySwitches').execute());
    expect(await scopes()).toEqual([]);
  });
});
