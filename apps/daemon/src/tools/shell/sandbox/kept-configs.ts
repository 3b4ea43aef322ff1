import { closeSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { openFolder } from '../../../paths/open.ts';
import { readPlainFile } from './git/rebase-todo.ts';
import { differsSafely } from './git/safe-git-config.ts';
import { inSteps, isThere, type ProtectedPlaces } from './protected-places.ts';
import { maxConfigBytes, replace, setAside } from './set-aside.ts';

/** Configuration files of repositories that are read in one step. */
const readAtOnce = 20;

/** The text of each configuration file of git, by its path. */
export type ConfigTexts = ReadonlyMap<string, string>;

export const readConfigs = async ({ repositories }: ProtectedPlaces): Promise<ConfigTexts> => {
  const texts = new Map<string, string>();
  const read = (folder: string) => {
    for (const path of ['config', 'config.worktree'].map((name) => join(folder, name))) {
      const text = readPlainFile(path, maxConfigBytes);
      if (text !== undefined) texts.set(path, text);
    }
  };
  await inSteps(repositories.keys(), read, readAtOnce);
  return texts;
};

const restore = (path: string, { root, text }: { root: string; text: string }): string[] => {
  const name = basename(path);
  const now = readPlainFile(path, maxConfigBytes);
  if (now !== undefined && differsSafely(text, now)) return [];
  const notes: string[] = [];
  const folder = openFolder(dirname(path));
  try {
    const note = (sentence: string) => void notes.push(sentence);
    const shown = (one: string) => join(relative(root, dirname(path)), one);
    const why = 'it may have settings of the command; the earlier ones are back';
    if (isThere(folder.entry(name))) setAside({ folder, note, shown }, name, why);
    else note(`${shown(name)} was gone and is there again.`);
    replace(folder, name, text);
  } finally {
    closeSync(folder.fd);
  }
  return notes;
};

/** Puts back those that got other than safe settings when they were replaced; gives sentences about it. */
export const restoreConfigs = (replaced: readonly string[], root: string, texts: ConfigTexts): string[] =>
  replaced.flatMap((path) => {
    const text = texts.get(path);
    if (text === undefined) return [];
    try {
      return restore(path, { root, text });
    } catch {
      return [`${relative(root, path)} could not be looked at: check its settings.`];
    }
  });
