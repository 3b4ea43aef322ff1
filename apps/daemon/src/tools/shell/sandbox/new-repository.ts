import { existsSync, mkdirSync } from 'node:fs';
import { cp, lstat, opendir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from '@drawbridge/kit';
import { entryOf, removeTree, walkTree, type TreeVisit } from '@drawbridge/kit/node';
import { isThere } from './protected-places.ts';
import { freeName, sweepRepository } from './set-aside.ts';

const gibibyte = 1024 ** 3;
/** What is copied from one disk to another; a repository with more stays where it was made. */
export const copyLimits = { entries: 100_000, bytes: 4 * gibibyte };
/** Go asks git about a folder with a `.git`, also with an empty one, and does not build where git fails. */
export const withoutRepository = { GOFLAGS: '-buildvcs=false' };
type CopyLimits = typeof copyLimits;

/** Ends a walk that has found what it looks for. */
const found = new Error('found');

const findsIn = async (folder: string, visit: TreeVisit['visit']): Promise<boolean> => {
  try {
    await walkTree(folder, { closed: 'open', visit });
    return false;
  } catch (error) {
    if (error === found) return true;
    throw error;
  }
};

const hasFiles = (folder: string): Promise<boolean> =>
  findsIn(folder, async ({ base }) => {
    const folders: string[] = [];
    for await (const entry of await opendir(base, { encoding: 'latin1' })) {
      if (!entry.isDirectory()) throw found;
      folders.push(entry.name);
    }
    return folders;
  });

const isTooLarge = (folder: string, limits: CopyLimits): Promise<boolean> => {
  const total = { entries: 0, bytes: 0 };
  return findsIn(folder, async (inner) => {
    const folders: string[] = [];
    for await (const entry of await opendir(inner.base, { encoding: 'latin1' })) {
      total.entries += 1;
      if (entry.isDirectory()) folders.push(entry.name);
      else total.bytes += (await lstat(entryOf(inner, entry.name))).size;
      if (total.entries > limits.entries || total.bytes > limits.bytes) throw found;
    }
    return folders;
  });
};

const copy = async (from: string, to: string): Promise<void> => {
  try {
    await cp(from, to, {
      recursive: true,
      verbatimSymlinks: true,
      preserveTimestamps: true,
      errorOnExist: true,
    });
  } catch (error) {
    await removeTree(to).catch(() => undefined);
    throw error;
  }
};

/** Whether it was moved; what is too large for another disk, or cannot be copied, stays. */
const move = async (from: string, to: string, limits: CopyLimits): Promise<boolean> => {
  try {
    await rename(from, to);
  } catch (error) {
    if (!hasCode(error, 'EXDEV')) throw error;
    if (await isTooLarge(from, limits)) return false;
    const isCopied = await copy(from, to).then(
      () => true,
      () => false,
    );
    if (!isCopied) return false;
  }
  return true;
};

export interface Settled {
  /** Sentences about what was changed. */
  notes: string[];
  /** Whether it is still in the folder where it was made. */
  stays: boolean;
}

/** Moves a repository that a command made to `.git`, once it is safe; anything else gets another name. */
export const settleRepository = async (
  folder: string,
  root: string,
  limits: CopyLimits = copyLimits,
): Promise<Settled> => {
  if (!existsSync(folder) || !(await hasFiles(folder))) return { notes: [], stays: false };
  const place = join(root, '.git');
  const notes = await sweepRepository(folder);
  const isOwn = existsSync(join(folder, 'HEAD')) && !isThere(place);
  const name = isOwn ? '.git' : freeName('.git', (other) => isThere(join(root, other)));
  if (!(await move(folder, join(root, name), limits))) {
    const most = `${limits.entries.toLocaleString('en')} files or ${limits.bytes / gibibyte} GiB`;
    const why = `the shared folder is on another disk, and it cannot be copied or has more than ${most}`;
    return { notes: [...notes, `What the command made at .git stays at ${folder}: ${why}.`], stays: true };
  }
  if (isOwn) return { notes, stays: false };
  const why = 'it is no repository, there is one by now, or another daemon has a command at work here';
  return { notes: [...notes, `What the command made at .git is at ${name}: ${why}.`], stays: false };
};

export const makeRepositoryFolder = (parent: string): string => {
  const folder = join(parent, 'git');
  mkdirSync(folder, { mode: 0o755 });
  return folder;
};
