import { rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import { expect, it, onTestFinished } from 'vitest';
import { migrate, openDatabase } from '../src/db/index.ts';
import { createNewStores } from './new-store.ts';

it('a new store has the tables of the first one as soon as that is closed', async () => {
  const newStore = createNewStores(async (dataDir) => {
    const { db, close } = openDatabase({ url: undefined, dataDir });
    await migrate(db);
    await close();
  });
  const folder = await newStore();
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const store = new Database(join(folder, 'drawbridge.db'));
  onTestFinished(() => void store.close());
  const names = store.prepare(`select name from sqlite_master where type = 'table'`).pluck().all();
  expect(names).toEqual(expect.arrayContaining(['calls', 'confirmations', 'machines', 'kysely_migration']));
});
