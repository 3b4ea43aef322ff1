import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isThere } from './protected-places.ts';
import { freeName, sweepRepository } from './set-aside.ts';
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

/**
 * Moves a repository that a command made to `.git`, once it is safe; anything else gets another name.
 * Returns sentences about what was changed.
 */
export const settleRepository = async (folder: string, root: string): Promise<string[]> => {
  if (!existsSync(folder) || !hasFiles(folder)) return [];
  const place = join(root, '.git');
  const notes = await sweepRepository(folder);
  if (existsSync(join(folder, 'HEAD')) && !isThere(place)) {
    move(folder, place);
    return notes;
  }
  const aside = freeName('.git', (name) => isThere(join(root, name)));
  move(folder, join(root, aside));
  return [`What the command made at .git is at ${aside}: it is no repository, or there is one by now.`];
};

export const makeRepositoryFolder = (parent: string): string => {
  const folder = join(parent, 'git');
  mkdirSync(folder, { mode: 0o755 });
  return folder;
};
