import { lstatSync, type Dirent } from 'node:fs';
import { opendir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { hasCode } from '@drawbridge/kit';
import { openToOwner } from '../../../paths/open.ts';

/** Read in one step; a folder with more gives other work its turn in between. */
const entriesAtOnce = 256;

/** Whether nothing can be learned of a path because a folder above it is closed to us. */
const isBehindClosed = (path: string): boolean => {
  try {
    lstatSync(path);
    return false;
  } catch (error) {
    return hasCode(error, 'EACCES');
  }
};

/** What is gone, or out of reach. Any other failure says nothing of what is there. */
const hasNone = (error: unknown): boolean =>
  ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'ELOOP'].some((code) => hasCode(error, code));

/** The entries of a folder; undefined where it is closed to us, or cannot be read to its end. */
export const listFolder = async (folder: string): Promise<Dirent[] | undefined> => {
  const entries: Dirent[] = [];
  try {
    for await (const entry of await opendir(folder, { bufferSize: entriesAtOnce })) entries.push(entry);
    // Its names can be read, and what they lead to cannot.
    return isBehindClosed(`${folder}/.`) ? undefined : entries;
  } catch (error) {
    return hasNone(error) ? entries : undefined;
  }
};

/** The folder itself, or the one above it that hides it. */
export const closedOn = (folder: string, root: string): string => {
  let at = folder;
  while (at !== root && isBehindClosed(at)) at = dirname(at);
  return at;
};

/** Gives the owner back all rights on the way to a folder; `opened` is called for each that had lost some. */
export const openClosed = async (
  folder: string,
  { root, opened }: { root: string; opened(folder: string): void },
): Promise<Dirent[]> => {
  for (let last = ''; ;) {
    const entries = await listFolder(folder);
    const closed = closedOn(folder, root);
    // Of another owner, or changed by another program: no command made it so.
    if (entries !== undefined || closed === last) return entries ?? [];
    try {
      openToOwner(closed);
    } catch {
      return [];
    }
    opened(closed);
    last = closed;
  }
};
