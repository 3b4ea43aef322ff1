import { copyFileSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { migrate } from '../src/db/index.ts';
import { onPostgres, openTestStore, prepareStore } from './store-place.ts';

const newFolder = () => mkdtempSync(join(tmpdir(), 'drawbridge-'));

/**
 * Returns new data folders with an empty store each: `make` makes the first, the others are copies, which
 * cost less than its tables.
 */
export const createNewStores = (make: (dataDir: string) => Promise<void>): (() => Promise<string>) => {
  let first: Promise<string> | undefined;
  const makeFirst = async () => {
    const folder = newFolder();
    await make(folder);
    const whole = join(folder, 'whole.db');
    // Until the statements of a closed connection are collected, its tables are in the write-ahead log alone.
    const store = new Database(join(folder, 'drawbridge.db'));
    // The secret of that server is not copied, and neither is what was made with it.
    store.prepare('delete from meta').run();
    store.prepare('vacuum into ?').run(whole);
    store.close();
    return whole;
  };
  return async () => {
    const folder = newFolder();
    if (onPostgres) {
      await prepareStore(folder, make);
      return folder;
    }
    first ??= makeFirst();
    copyFileSync(await first, join(folder, 'drawbridge.db'));
    return folder;
  };
};

/** A data folder whose store has the tables of the gateway and the agent, and none of the accounts. */
export const newGatewayFolder = createNewStores(async (dataDir) => {
  const { whileMigrating, close } = await openTestStore(dataDir);
  await whileMigrating(migrate);
  await close();
});
