import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFakeClock } from '@drawbridge/kit';
import { sql } from 'kysely';
import { afterEach, describe, expect, it } from 'vitest';
import { openDatabase } from './sqlite/open-database.ts';
import type { OpenDatabase } from './store.ts';

type Tables = { rights: { id: string; holds: number } };

const opened: OpenDatabase[] = [];
afterEach(() => Promise.all(opened.splice(0).map(({ close }) => close())));

const clock = createFakeClock();

const open = (dataDir: string) => {
  const database = openDatabase({ url: undefined, dataDir }, clock);
  opened.push(database);
  return { ...database, db: database.db.withTables<Tables>() };
};

/** A store with one right, a reading of it that is remembered, and how often it was read. */
const openRights = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'rows-'));
  const { db, cacheRows, changeRights, version } = open(folder);
  await sql`create table rights (id text primary key, holds integer)`.execute(db);
  await sql`create table calls (id text primary key)`.execute(db);
  await db.insertInto('rights').values({ id: 'ada', holds: 1 }).execute();
  let reads = 0;
  const read = async (id: string) => {
    reads += 1;
    return db.selectFrom('rights').selectAll().where('id', '=', id).executeTakeFirst();
  };
  return { folder, db, read, right: cacheRows(read), reads: () => reads, cacheRows, changeRights, version };
};

const isHeld = { id: 'ada', holds: 1 };
const isTaken = { id: 'ada', holds: 0 };

describe('a row that was read', () => {
  it('is returned from the cache, also after other tables were written', async () => {
    const { db, right, reads } = await openRights();
    expect(await right('ada')).toEqual(isHeld);
    await sql`insert into "calls" values ('one')`.execute(db);
    expect([await right('ada'), reads()]).toEqual([isHeld, 1]);
  });

  it('PK-09 is read again after a change of rights here', async () => {
    const { db, right, changeRights, version } = await openRights();
    await right('ada');
    const before = version();
    await changeRights(() => db.updateTable('rights').set({ holds: 0 }).execute());
    expect([await right('ada'), version()]).toEqual([isTaken, before + 1]);
    await changeRights(() => db.deleteFrom('rights').execute());
    expect(await right('ada')).toBeUndefined();
  });

  it('PK-09 is read again after a change of rights that failed', async () => {
    const { db, right, changeRights } = await openRights();
    await right('ada');
    const failed = changeRights(async () => {
      await db.updateTable('rights').set({ holds: 0 }).execute();
      throw new Error('after the first of two writes');
    });
    await expect(failed).rejects.toThrow('after the first of two writes');
    expect(await right('ada')).toEqual(isTaken);
  });

  it('PK-09 is read again once another process has written, half a second later at most', async () => {
    const { folder, right } = await openRights();
    const other = open(folder);
    await right('ada');
    await other.db.updateTable('rights').set({ holds: 0 }).execute();
    await clock.advance(499);
    expect(await right('ada')).toEqual(isHeld);
    await clock.advance(1);
    expect(await right('ada')).toEqual(isTaken);
  });

  it('PK-09 is not cached if it changed while it was read', async () => {
    const { db, read, cacheRows, changeRights } = await openRights();
    const slow = cacheRows(async (id) => {
      const row = await read(id);
      if (row?.holds === 1) await changeRights(() => db.updateTable('rights').set({ holds: 0 }).execute());
      return row;
    });
    expect(await slow('ada')).toEqual(isHeld);
    expect(await slow('ada')).toEqual(isTaken);
  });

  it('is not cached from a transaction that was rolled back', async () => {
    const { db, right, changeRights } = await openRights();
    const broken = changeRights(() =>
      db.transaction().execute(async (trx) => {
        await trx.updateTable('rights').set({ holds: 0 }).execute();
        throw new Error('rolled back');
      }),
    );
    await expect(broken).rejects.toThrow('rolled back');
    expect(await right('ada')).toEqual(isHeld);
  });

  it('is read again if it was missing', async () => {
    const { db, right, reads } = await openRights();
    await Promise.all(['bob', 'bob'].map(right));
    expect([await right('bob'), reads()]).toEqual([undefined, 3]);
    await db.insertInto('rights').values({ id: 'bob', holds: 1 }).execute();
    expect(await right('bob')).toEqual({ id: 'bob', holds: 1 });
  });

  it('is evicted by 1,000 newer ones', async () => {
    const { db, right, reads } = await openRights();
    const values = Array.from({ length: 1_000 }, (_, n) => ({ id: `user-${n}`, holds: 1 }));
    await db.insertInto('rights').values(values).execute();
    await right('ada');
    for (const { id } of values.slice(1)) await right(id);
    await right('ada');
    expect(reads()).toBe(1_000);
    await right('user-0');
    await right('ada');
    expect(reads()).toBe(1_002);
  });
});
