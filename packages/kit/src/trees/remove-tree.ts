import { opendir, rmdir, unlink } from 'node:fs/promises';
import { entryOf, type OpenFolder } from './open-folder.ts';
import { walkTree } from './walk-tree.ts';

const removedAtOnce = 32;

interface RemovalOptions {
  signal?: AbortSignal | undefined;
  /** Called with the descriptor of each folder before anything in it is removed; throws to refuse. */
  check?(fd: number): void;
}

/** Removes all but the folders, whose names it returns. */
const emptyOf = async (folder: OpenFolder): Promise<string[]> => {
  const folders: string[] = [];
  let batch: Promise<void>[] = [];
  for await (const entry of await opendir(folder.base, { encoding: 'latin1', bufferSize: 256 })) {
    if (entry.isDirectory()) folders.push(entry.name);
    else batch.push(unlink(entryOf(folder, entry.name)));
    if (batch.length < removedAtOnce) continue;
    await Promise.all(batch);
    batch = [];
  }
  await Promise.all(batch);
  return folders;
};

/**
 * Removes a folder with all below it, whatever its depth, its modes and the bytes of its names; a link is
 * removed, not followed. Throws what the system says, `CHANGED` where a folder was moved meanwhile, and the
 * reason of the signal.
 */
export const removeTree = (top: string, { signal, check }: RemovalOptions = {}): Promise<void> =>
  walkTree(top, {
    closed: 'open',
    signal,
    visit: async (folder) => {
      check?.(folder.handle.fd);
      return emptyOf(folder);
    },
    left: rmdir,
  });
