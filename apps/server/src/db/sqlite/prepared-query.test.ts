import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, describe, expect, it } from 'vitest';
import { openDatabase } from './open-database.ts';
import type { OpenDatabase } from '../store.ts';
import { prepareQuery, type Slot } from './prepared-query.ts';

type Tables = { notes: { id: string; text: string | null } };

const opened: OpenDatabase[] = [];
afterEach(() => Promise.all(opened.splice(0).map(({ close }) => close())));

const openNotes = async () => {
  const database = openDatabase({ url: undefined, dataDir: mkdtempSync(join(tmpdir(), 'prepared-')) });
  opened.push(database);
  const db = database.db.withTables<Tables>();
  await sql`create table notes (id text primary key, text text)`.execute(db);
  const insert = prepareQuery((slot: Slot<Tables['notes']>) =>
    db.insertInto('notes').values({ id: slot('id'), text: slot('text') }),
  );
  const byText = prepareQuery((slot: Slot<{ text: string }>) =>
    db.selectFrom('notes').selectAll().where('text', '=', slot('text')).where('id', '!=', 'never'),
  );
  return { db, insert, byText };
};

describe('a query that is put together once', () => {
  it('binds new values with every run, beside constants of the query', async () => {
    const { db, insert, byText } = await openNotes();
    for (const [id, text] of [
      ['a', 'one'],
      ['b', 'two'],
      ['never', 'two'],
      ['c', null],
    ] as const)
      await db.executeQuery(insert({ text, id }));
    expect((await db.executeQuery(byText({ text: 'two' }))).rows).toEqual([{ id: 'b', text: 'two' }]);
    expect((await db.executeQuery(byText({ text: 'one' }))).rows).toEqual([{ id: 'a', text: 'one' }]);
    expect(await db.selectFrom('notes').selectAll().where('text', 'is', null).execute()).toEqual([
      { id: 'c', text: null },
    ]);
  });

  it('binds any value as a value', async () => {
    const { db, insert, byText } = await openNotes();
    await db.executeQuery(insert({ id: 'a', text: 'one' }));
    expect((await db.executeQuery(byText({ text: "one' or '1' = '1" }))).rows).toEqual([]);
  });

  it('runs on the connection that it is given, and goes with its transaction', async () => {
    const { db, insert, byText } = await openNotes();
    const failed = db.transaction().execute(async (trx) => {
      await trx.executeQuery(insert({ id: 'a', text: 'one' }));
      throw new Error('not kept');
    });
    await expect(failed).rejects.toThrow('not kept');
    expect((await db.executeQuery(byText({ text: 'one' }))).rows).toEqual([]);
  });
});
