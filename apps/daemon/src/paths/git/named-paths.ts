import { readdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isExecutable, realPathOf } from '../../program/quiet-files.ts';
import { isWithin } from '../protected.ts';
import type { GitSetting } from './config-text.ts';
import { namedWords, type NamedWord } from './named-words.ts';
import { isHelperAddress, mayNameProgram } from './safe-keys.ts';
import { gitPath, readConfigFile, readSettings, userConfigFiles, type ReadSettings } from './settings-of.ts';

/** What git runs in a folder of hooks. */
const hookNames = (
  'applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit prepare-commit-msg commit-msg post-commit ' +
  'pre-rebase post-checkout post-merge pre-push pre-receive update proc-receive post-receive post-update ' +
  'reference-transaction push-to-checkout pre-auto-gc post-rewrite sendemail-validate fsmonitor-watchman post-index-change'
).split(' ');
/** What an interpreter runs of a folder. */
const entryNames = ['__main__.py', 'index.js', 'index.cjs', 'index.mjs'];
const settingsName = /\.(json|jsonc|toml|ya?ml|ini|conf|cfg)$/;
const scriptName = /\.(sh|py|[cm]?[jt]s|rb|pl|php|lua|awk|mk)$/;

const kindAt = (path: string): 'file' | 'folder' | 'none' => {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return 'none';
    return stats.isDirectory() ? 'folder' : 'file';
  } catch {
    return 'none';
  }
};

const foldersIn = (folder: string): string[] => {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
};

/** A repository, wherever its own folder is. */
export interface GitPlace {
  folder: string;
  /** The `.git` file or folder through which it was found, if it has one. */
  entry?: string;
}

/** The folder that holds the settings of this one, which may be a working tree's own. */
const wholeOf = (folder: string): string => {
  const common = readConfigFile(join(folder, 'commondir'))?.trim();
  return common === undefined || common === '' ? folder : resolve(folder, common);
};

/** Where a `.git` file leads. */
export const gitFolderOf = (entry: string): string | undefined => {
  if (kindAt(entry) === 'folder') return entry;
  const target = /^gitdir: (.+?)\s*$/.exec(readConfigFile(entry) ?? '')?.[1];
  return target === undefined ? undefined : resolve(dirname(entry), target);
};

export interface Reading {
  root: string;
  home: string;
}

/** Folders that programs of a repository start in: its working trees, or its own folder. */
const startFolders = ({ folder, entry }: GitPlace, settings: readonly GitSetting[]): string[] => {
  const whole = wholeOf(folder);
  const given = settings.filter(({ section, key }) => section === 'core' && key === 'worktree');
  const trees = foldersIn(join(whole, 'worktrees')).flatMap((name) => {
    const place = readConfigFile(join(whole, 'worktrees', name, 'gitdir'))?.trim();
    return place === undefined ? [] : [dirname(resolve(whole, 'worktrees', name, place))];
  });
  return [
    ...new Set([
      ...(entry === undefined ? [] : [dirname(entry)]),
      ...(whole.endsWith('/.git') ? [dirname(whole)] : []),
      ...given.map(({ value = '' }) => resolve(whole, value)),
      ...trees,
      whole,
    ]),
  ];
};

/** A file that can be run, or a missing one that looks like it. */
const isScript = (path: string, at: ReturnType<typeof kindAt>, text: string): boolean =>
  at === 'file'
    ? scriptName.test(path) || isExecutable(path)
    : at === 'none' && (scriptName.test(path) || text.includes('/'));

/** What a word names, from one folder: paths that must not be changed. */
const pathsOf = ({ text, kind }: NamedWord, folder: string, home: string): string[] => {
  const path = gitPath(text, { folder, home });
  const at = kindAt(path);
  switch (kind) {
    case 'path':
      // A whole working tree as the folder of hooks stays writable, except for these names.
      return isWithin(folder, path) ? hookNames.map((name) => join(path, name)) : [path];
    case 'run':
      return at === 'folder' ? entryNames.map((name) => join(path, name)) : [path];
    case 'name':
      return at === 'file' || (at === 'none' && text.includes('.')) ? [path] : [];
    case 'input':
      if (at === 'file' && isExecutable(path)) return [path];
      return at !== 'folder' && (settingsName.test(path) || scriptName.test(path)) ? [path] : [];
    case 'script':
      return isScript(path, at, text) ? [path] : [];
    default:
      return kind satisfies never;
  }
};

/** From the folder itself, from one that a word names (`cd tools && ./run`), and from `$(…)/tools`. */
export const pathsFrom = (words: readonly NamedWord[], folder: string, { root, home }: Reading): string[] => {
  const folders = words
    .map(({ text }) => gitPath(text, { folder, home }))
    .filter((path) => path !== folder && [folder, root].some((above) => isWithin(path, above)))
    .filter((path) => kindAt(path) === 'folder');
  return [folder, ...new Set(folders)].flatMap((from) =>
    words.flatMap((word) => {
      const below = word.text.startsWith('/') ? [{ ...word, text: `.${word.text}` }] : [];
      return [word, ...below].flatMap((one) => pathsOf(one, from, home));
    }),
  );
};

const namedBy = (settings: readonly GitSetting[], folders: readonly string[], reading: Reading): string[] => {
  const naming = settings.filter((one) => mayNameProgram(one) || isHelperAddress(one.value ?? ''));
  return naming.flatMap((setting) => {
    const words = namedWords(setting);
    const { section, name } = setting;
    // What updates a submodule runs in its folder, which most often has its name.
    const inner = section === 'submodule' && name !== undefined ? folders.map((one) => join(one, name)) : [];
    return [...folders, ...inner].flatMap((folder) => pathsFrom(words, folder, reading));
  });
};

const isInside = (path: string, root: string): boolean => path !== root && isWithin(path, root);

/** The settings of the user and of the system, which hold in every repository. */
export const readUserSettings = (home: string): ReadSettings => readSettings(userConfigFiles(home), home);

/**
 * Paths in the root that git, or a program of it, would run or read by the configuration of one repository,
 * whether something stands there or not. Reads files only; runs no program.
 */
export const pathsNamedByGit = (place: GitPlace, user: ReadSettings, reading: Reading): string[] => {
  const whole = wholeOf(place.folder);
  const trees = foldersIn(join(whole, 'worktrees')).map((name) => join(whole, 'worktrees', name));
  const configs = [join(whole, 'config'), ...[whole, ...trees].map((one) => join(one, 'config.worktree'))];
  const own = readSettings(configs, reading.home);
  const folders = startFolders(place, own.settings);
  const settings = [...user.settings, ...own.settings];
  const found = [...user.files, ...own.files, ...namedBy(settings, folders, reading)];
  const real = found.flatMap((path) => realPathOf(path) ?? []);
  return [...new Set([...found, ...real])].filter((path) => path !== whole && isInside(path, reading.root));
};

/** The repository that a path lies in, without the one at the path itself. */
export const repositoryAbove = (path: string): GitPlace | undefined => {
  const above = dirname(path);
  if (above === path) return undefined;
  const entry = join(above, '.git');
  const own = kindAt(entry) === 'none' ? undefined : gitFolderOf(entry);
  return own === undefined ? repositoryAbove(above) : { folder: own, entry };
};

/** Whether the settings of git name this path of the root as something that it runs or reads. */
export const isNamedByGit = (path: string, reading: Reading): boolean => {
  const place = repositoryAbove(path);
  if (place === undefined) return false;
  return pathsNamedByGit(place, readUserSettings(reading.home), reading).some((one) => isWithin(path, one));
};
