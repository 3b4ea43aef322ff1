import { closeSync, fstatSync, rmdirSync, unlinkSync } from 'node:fs';
import { opendir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { errors } from '../common/errors.ts';
import { inFolder, openSubfolder, type Folder } from '../../paths/open.ts';

export interface Walk {
  signal: AbortSignal;
  /** The device that the walk began on: what is mounted below is not crossed into. */
  device: number;
}

/** Opens a folder to be taken as a whole; a mount is refused. */
const enter = (walk: Walk, parent: Folder, name: string): Folder => {
  const inner = openSubfolder(parent, name);
  if (fstatSync(inner.fd).dev === walk.device) return inner;
  closeSync(inner.fd);
  throw errors.outside({ message: 'Another disk is mounted below this folder' });
};

/** Visits a folder and every path below it; `inspect` throws to refuse. Follows no link. */
export const inspectTree = async (
  walk: Walk,
  at: { parent: Folder; name: string },
  look: (path: string) => void,
): Promise<void> => {
  await inFolder(enter(walk, at.parent, at.name), async (folder) => {
    look(folder.path);
    for (const entry of await readdir(folder.entry('.'), { withFileTypes: true })) {
      walk.signal.throwIfAborted();
      if (entry.isDirectory()) await inspectTree(walk, { parent: folder, name: entry.name }, look);
      else look(join(folder.path, entry.name));
    }
  });
};

/** How many entries below a folder are no folders; stops a little above `limit`. Follows no link. */
export const countFiles = async (
  walk: Walk,
  at: { parent: Folder; name: string },
  limit: number,
): Promise<number> => {
  let files = 0;
  await inFolder(enter(walk, at.parent, at.name), async (folder) => {
    for await (const entry of await opendir(folder.entry('.'))) {
      walk.signal.throwIfAborted();
      if (files > limit) break;
      files += entry.isDirectory()
        ? await countFiles(walk, { parent: folder, name: entry.name }, limit - files)
        : 1;
    }
  });
  return files;
};

/** Deletes a folder with all below it, through open parents; a link is deleted, not followed. */
export const deleteTree = async (walk: Walk, parent: Folder, name: string): Promise<void> => {
  await inFolder(enter(walk, parent, name), async (folder) => {
    for (const entry of await readdir(folder.entry('.'), { withFileTypes: true })) {
      walk.signal.throwIfAborted();
      if (entry.isDirectory()) await deleteTree(walk, folder, entry.name);
      else unlinkSync(folder.entry(entry.name));
    }
  });
  rmdirSync(parent.entry(name));
};
