import { copyFileSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

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
    return folder;
  };
  return async () => {
    first ??= makeFirst();
    const folder = newFolder();
    copyFileSync(join(await first, 'drawbridge.db'), join(folder, 'drawbridge.db'));
    return folder;
  };
};
