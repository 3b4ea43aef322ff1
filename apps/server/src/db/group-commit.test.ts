import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { endOfTurn } from '@drawbridge/kit';
import { sql } from 'kysely';
import { createGroupCommit, type Durability } from './group-commit.ts';
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

const rows = () =>
  store.db.selectFrom('gatewaySwitches').select(['scope', 'disabled']).orderBy('scope').execute();
const scopes = async () => (await rows()).map((row) => row.scope);
const insert = (scope: string) =>
  store.db.insertInto('gatewaySwitches').values({ scope, disabled: 1 }).compile();
/** Writes down how careful the connection is while it writes: 1 without a sync, 2 with one. */
const level = (scope: string) =>
  sql`insert into "gatewaySwitches" select ${scope}, synchronous from pragma_synchronous`.compile(store.db);
const levelNow = async () => (await sql`pragma synchronous`.execute(store.db)).rows;
const statuses = async (all: Promise<unknown>[]) => (await Promise.allSettled(all)).map((one) => one.status);

describe('writes that arrive together', () => {
  it('are all kept, in one transaction', async () => {
    const commit = createGroupCommit(store.db);
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

  it('fail alone', async () => {
    const commit = createGroupCommit(store.db);
    const all = ['a', 'a', 'b'].map((scope) => commit([insert(scope)], 'synced'));
    expect(await statuses(all)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await scopes()).toEqual(['a', 'b']);
    await commit([store.db.deleteFrom('gatewaySwitches').compile()], 'synced');
    expect(await scopes()).toEqual([]);
  });

  it.each<Durability>(['synced', 'kept'])(
    'of several queries are %s whole or not at all',
    async (durability) => {
      const commit = createGroupCommit(store.db);
      const all = [
        commit([insert('a'), insert('b')], durability),
        commit([insert('c'), insert('a')], durability),
      ];
      expect(await statuses(all)).toEqual(['fulfilled', 'rejected']);
      expect(await statuses([commit([insert('c'), insert('a')], durability)])).toEqual(['rejected']);
      expect([await scopes(), await levelNow()]).toEqual([['a', 'b'], [{ synchronous: 2 }]]);
    },
  );

  it.each<[string, Durability[], number]>([
    ['one that is synced', ['synced'], 2],
    ['one that is kept', ['kept'], 1],
    ['several that are kept', ['kept', 'kept'], 1],
    ['those that come with one that is synced', ['kept', 'synced'], 2],
  ])('sync the disk when one of them must: %s', async (_name, durabilities, expected) => {
    const commit = createGroupCommit(store.db);
    await Promise.all(durabilities.map((durability, at) => commit([level(`${at}`)], durability)));
    expect((await rows()).map((row) => row.disabled)).toEqual(durabilities.map(() => expected));
    expect(await levelNow()).toEqual([{ synchronous: 2 }]);
  });

  it.each<[Durability, string[]]>([
    ['kept', ['the rest of the turn', 'written']],
    ['synced', ['written', 'the rest of the turn']],
  ])('that are %s: %j', async (durability, expected) => {
    const commit = createGroupCommit(store.db);
    const seen: string[] = [];
    const written = commit([insert('a')], durability).then(() => seen.push('written'));
    const rest = endOfTurn().then(() => seen.push('the rest of the turn'));
    await Promise.all([written, rest]);
    expect(seen).toEqual(expected);
  });
});
