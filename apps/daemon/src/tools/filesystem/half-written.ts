import { closeSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { openFolder } from './open.ts';
import { isTemporaryName } from './replace.ts';

/** Removes what writes of these files, which ended in the middle, left beside them. What cannot be looked at stays. */
export const removeHalfWritten = async (paths: readonly string[]): Promise<void> => {
  for (const path of new Set(paths.map((one) => dirname(one)))) {
    try {
      const folder = openFolder(path);
      try {
        const names = (await readdir(folder.entry('.'))).filter(isTemporaryName);
        for (const name of names) await rm(folder.entry(name), { force: true });
      } finally {
        closeSync(folder.fd);
      }
    } catch {
      // The folder has gone, or belongs to somebody else by now.
    }
  }
};
