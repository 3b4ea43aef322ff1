import { lstatSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { readQuietly, realPathOf } from '../../../../program/quiet-files.ts';

const lineOf = (path: string): string | undefined => readQuietly(path)?.split('\n')[0]?.trim();

/**
 * The repository of a root that is a working tree of it (`git worktree add`): git needs it for every command.
 * It counts only where it names this root too, so that no file in the root opens a folder of its choice.
 */
export const findWorktree = (root: string): string[] => {
  const place = join(root, '.git');
  if (lstatSync(place, { throwIfNoEntry: false })?.isFile() !== true) return [];
  const named = /^gitdir: (.+)$/.exec(lineOf(place) ?? '')?.[1];
  if (named === undefined) return [];
  const own = realPathOf(resolve(root, named));
  const back = own === undefined ? undefined : lineOf(join(own, 'gitdir'));
  const common = own === undefined ? undefined : lineOf(join(own, 'commondir'));
  if (own === undefined || back === undefined || common === undefined) return [];
  const repository = realPathOf(resolve(own, common));
  const isOfRepository = repository !== undefined && dirname(own) === join(repository, 'worktrees');
  return isOfRepository && realPathOf(resolve(own, back)) === realPathOf(place) ? [repository] : [];
};
