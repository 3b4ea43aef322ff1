import { accessSync, constants, lstatSync, type Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isExcluded } from '../filesystem/limits.ts';
import { isProtected, protectedNamesIn, type Territory } from '../filesystem/protected.ts';

/** Folders that are looked into for one command; those nearest to the root come first. */
const maxFoldersLookedAt = 20_000;

const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

const canWrite = (folder: string): boolean => {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
};

/** Names that a folder may get. Where nobody can make them there is nothing to keep, and no place for a stand-in. */
const namesIn = (folder: string, kind: 'folder' | 'git'): string[] =>
  canWrite(folder)
    ? protectedNamesIn(kind)
        .map((name) => join(folder, name))
        // `.config/fish` is of interest where there is a `.config`; `.git` is kept also before it exists.
        .filter((path) => isThere(dirname(path)) || dirname(path) === join(folder, '.git'))
    : [];

const list = async (folder: string): Promise<Dirent[]> => {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch {
    // Gone, or closed to us: then it is closed to a command too.
    return [];
  }
};

/** Below `.git`: what git runs is kept, its own folders of submodules and worktrees are looked into, and objects are left alone. */
const isGitFolderToEnter = (name: string, parent: string): boolean =>
  ['modules', 'worktrees'].includes(name) || /\/\.git\/(modules|worktrees)(\/|$)/.test(parent);

/**
 * What a command must not write in the root: protected files and folders that are there, and the names that the root itself and its
 * `.git` folders may get. Folders that trees leave out (`node_modules`, …) are not looked into.
 */
export const findProtectedPlaces = async (territory: Territory, signal: AbortSignal): Promise<string[]> => {
  const found = new Set(namesIn(territory.root, 'folder'));
  let ahead = [territory.root];
  for (let looked = 0; ahead.length > 0 && looked < maxFoldersLookedAt;) {
    const now = ahead.slice(0, maxFoldersLookedAt - looked);
    looked += now.length;
    ahead = [];
    for (const folder of now) {
      signal.throwIfAborted();
      const inGit = /\/\.git(\/|$)/.test(folder);
      for (const one of await list(folder)) {
        const path = join(folder, one.name);
        const isFolder = one.isDirectory();
        if (isFolder && one.name === '.git') {
          for (const name of namesIn(path, 'git')) found.add(name);
          ahead.push(path);
        } else if (isProtected(territory, path, 'write')) found.add(path);
        else if (isFolder && (inGit ? isGitFolderToEnter(one.name, folder) : !isExcluded(one.name)))
          ahead.push(path);
      }
    }
  }
  return [...found];
};
