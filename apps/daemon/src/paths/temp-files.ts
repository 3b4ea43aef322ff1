import { readdir, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { inFolder, openFolder } from './open.ts';
import { isTemporaryNameOf } from './replace-file.ts';

export interface InterruptedCalls {
  /** Their tags. */
  tags: readonly string[];
  paths: readonly string[];
}

/** Removes the temporary files of these calls, and no others. What cannot be opened stays. */
export const removeTempFiles = async ({ tags, paths }: InterruptedCalls): Promise<void> => {
  for (const path of new Set(paths.map((file) => dirname(file)))) {
    try {
      await inFolder(openFolder(path), async (folder) => {
        const names = (await readdir(folder.entry('.'))).filter((name) =>
          tags.some((tag) => isTemporaryNameOf(tag, name)),
        );
        for (const name of names) await rm(folder.entry(name), { force: true });
      });
    } catch {
      // The folder has gone, or belongs to somebody else by now.
    }
  }
};
