import { cpSync, existsSync, lstatSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { sweepRepository } from './set-aside.ts';
import { hasCode } from '@drawbridge/kit';

const move = (from: string, to: string): void => {
  try {
    renameSync(from, to);
  } catch (error) {
    if (!hasCode(error, 'EXDEV')) throw error;
    cpSync(from, to, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
    rmSync(from, { recursive: true, force: true });
  }
};

const hasFiles = (folder: string): boolean =>
  readdirSync(folder, { withFileTypes: true, recursive: true }).some((one) => !one.isDirectory());

const freePlace = (root: string): string => {
  for (let count = 1; ; count += 1) {
    const path = join(root, count === 1 ? '.git.set-aside' : `.git.set-aside-${count}`);
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return path;
  }
};

/**
 * Moves a repository that a command made to `.git`, once it is safe; anything else gets another name.
 * Returns sentences about what was changed.
 */
export const settleRepository = async (folder: string, root: string): Promise<string[]> => {
  if (!existsSync(folder) || !hasFiles(folder)) return [];
  const place = join(root, '.git');
  const notes = await sweepRepository(folder);
  const isFree = lstatSync(place, { throwIfNoEntry: false }) === undefined;
  if (existsSync(join(folder, 'HEAD')) && isFree) {
    move(folder, place);
    return notes;
  }
  const aside = freePlace(root);
  move(folder, aside);
  return [
    `What the command made at .git is at ${aside.slice(root.length + 1)}: it is no repository, or there is one by now.`,
  ];
};

export const makeRepositoryFolder = (parent: string): string => {
  const folder = join(parent, 'git');
  mkdirSync(folder, { mode: 0o755 });
  return folder;
};
