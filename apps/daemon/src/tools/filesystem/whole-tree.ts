import { fstatSync } from 'node:fs';
import { opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { removeTree, walkTree, type OpenFolder } from '@drawbridge/kit/node';
import { errors } from '../common/errors.ts';
import type { Folder } from '../../paths/open.ts';

export interface Walk {
  signal: AbortSignal;
  /** The device that the walk began on: what is mounted below is not crossed into. */
  device: number;
}

interface Place {
  parent: Folder;
  name: string;
}

const mustBeOnDevice = ({ device }: Walk, fd: number): void => {
  if (fstatSync(fd).dev !== device)
    throw errors.outside({ message: 'Another disk is mounted below this folder' });
};

const decoded = (latin1: string): string => Buffer.from(latin1, 'latin1').toString();

/** Calls `file` for what is no folder; returns the names of the folders, one byte a character. */
const readEntries = async ({ base }: OpenFolder, file: (latin1: string) => void): Promise<string[]> => {
  const folders: string[] = [];
  for await (const entry of await opendir(base, { encoding: 'latin1' })) {
    if (entry.isDirectory()) folders.push(entry.name);
    else file(entry.name);
  }
  return folders;
};

/**
 * Visits a folder and every path below it; `look` throws to refuse. Follows no link. `lend`: folders that
 * are closed to their owner are opened for the visit.
 */
export const inspectTree = async (
  walk: Walk & { closed: 'refuse' | 'lend' },
  { parent, name }: Place,
  look: (path: string, kind: 'folder' | 'file') => void,
): Promise<void> => {
  const paths: string[] = [];
  await walkTree(parent.entry(name), {
    ...walk,
    visit: async (folder, latin1) => {
      mustBeOnDevice(walk, folder.handle.fd);
      const above = paths.at(-1);
      const path = above === undefined ? join(parent.path, name) : join(above, decoded(latin1));
      paths.push(path);
      look(path, 'folder');
      return readEntries(folder, (file) => look(join(path, decoded(file)), 'file'));
    },
    left: async () => void paths.pop(),
  });
};

/** Ends a count that has found more than enough. */
const enough = new Error('enough');

/** How many entries below a folder are no folders; stops a little above `limit`. Follows no link. */
export const countFiles = async (walk: Walk, { parent, name }: Place, limit: number): Promise<number> => {
  let files = 0;
  const count = () => {
    files += 1;
    if (files > limit) throw enough;
  };
  try {
    await walkTree(parent.entry(name), {
      closed: 'refuse',
      signal: walk.signal,
      visit: async (folder) => {
        mustBeOnDevice(walk, folder.handle.fd);
        return readEntries(folder, count);
      },
    });
  } catch (error) {
    if (error !== enough) throw error;
  }
  return files;
};

/** Deletes a folder with all below it, whatever its depth and modes; a link is deleted, not followed. */
export const deleteTree = (walk: Walk, { parent, name }: Place): Promise<void> =>
  removeTree(parent.entry(name), { signal: walk.signal, check: (fd) => mustBeOnDevice(walk, fd) });
