import { lstatSync, statSync, type Stats } from 'node:fs';
import { relative } from 'node:path';
import { changedRunFilesLimits, type ChangedRunFiles } from '@drawbridge/contracts/tool-result';
import { visible } from '@drawbridge/kit';

/** Files that are compared before and after a command; more are not, and the result says so. */
const maxCompared = 20_000;

/** Files that other programs run, by path, with a text that is another one when the file has changed. */
export interface RunFiles {
  prints: Map<string, string>;
  isCut: boolean;
}

export const noRunFiles = (): RunFiles => ({ prints: new Map(), isCut: false });

export const noChange: ChangedRunFiles = { paths: [], count: 0 };

/** Includes the time of the last change, which no program can set. */
const printOf = (stats: Stats | undefined): string =>
  stats === undefined ? '' : `${stats.dev}:${stats.ino}:${stats.size}:${stats.ctimeMs}:${stats.mode}`;

const statOf = (path: string, look: typeof lstatSync | typeof statSync): Stats | undefined => {
  try {
    return look(path, { throwIfNoEntry: false });
  } catch {
    // A link that leads in a circle, a path that is too long, a folder above that is closed.
    return undefined;
  }
};

/** Adds a file or a link; a link also changes with what it leads to. */
export const addRunFile = (files: RunFiles, path: string): void => {
  if (files.prints.size >= maxCompared) {
    files.isCut = true;
    return;
  }
  const own = statOf(path, lstatSync);
  if (own === undefined) return;
  files.prints.set(path, printOf(own) + (own.isSymbolicLink() ? ` ${printOf(statOf(path, statSync))}` : ''));
};

/** What is new, changed or gone, the nearest to the root first. */
export const changedRunFiles = (root: string, before: RunFiles, after: RunFiles): ChangedRunFiles => {
  const all = new Set([...after.prints.keys(), ...before.prints.keys()]);
  const changed = [...all].filter((path) => before.prints.get(path) !== after.prints.get(path));
  const paths = changed
    .slice(0, changedRunFilesLimits.paths)
    .map((path) => visible(relative(root, path)).slice(0, changedRunFilesLimits.pathLength));
  return { paths, count: changed.length };
};

/** What the model and the person read of it; nothing where nothing has changed. */
export const inWords = ({ paths, count }: ChangedRunFiles): string[] => {
  if (count === 0) return [];
  const more = count > paths.length ? `, and ${count - paths.length} more` : '';
  return [`Changed, and other programs run or obey it: ${paths.join(', ')}${more}. Tell the user.`];
};

export const notAllCompared =
  'The folder has more than 20,000 files that other programs run: the rest was not compared.';
