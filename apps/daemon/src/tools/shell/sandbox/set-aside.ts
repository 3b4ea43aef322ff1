import {
  closeSync,
  fchmodSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  opendirSync,
  renameSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
  type Dirent,
} from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import type { ChangedRunFiles } from '@drawbridge/contracts/tool-result';
import { nanoid } from 'nanoid';
import { openFolder, type Folder } from '../../../paths/open.ts';
import { gitNames, type Territory } from '../../../paths/protected.ts';
import {
  findProtectedPlaces,
  inSteps,
  noPlaces,
  type ProtectedPlaces,
  type Repository,
} from './protected-places.ts';
import { changedRunFiles, notAllCompared } from './run-files.ts';
import { readPlainFile, readTodo, withoutCommands } from './git/rebase-todo.ts';
import { safeGitConfig } from './git/safe-git-config.ts';
import { stateFolders, todoNames } from './git/states.ts';
import { standInsOfOthers } from './pending.ts';
import { isIntact, isUsedStandIn } from './stand-ins.ts';
import { normalizeName } from '../../../text/normalize.ts';

export const maxConfigBytes = 256 * 1024;

/** One folder, open, and what a person reads about what was changed in it. */
interface Place {
  folder: Folder;
  note(sentence: string): void;
  /** A path as the person knows it. */
  shown(name: string): string;
  /** Whether a command that is at work has it as a stand-in, and nothing was put there. */
  isUsed(name: string): boolean;
}

const statOf = (folder: Folder, name: string) => lstatSync(folder.entry(name), { throwIfNoEntry: false });

const maxCounted = 100;

/** A name that nothing has yet, for an entry that is kept under another one. */
export const freeName = (name: string, isTaken: (name: string) => boolean): string => {
  for (let count = 1; count <= maxCounted; count += 1) {
    const free = count === 1 ? `${name}.set-aside` : `${name}.set-aside-${count}`;
    if (!isTaken(free)) return free;
  }
  return `${name}.set-aside-${nanoid()}`;
};

/** Hooks of a repository that git made are fewer. */
const maxSamples = 64;

/** The first entries of a folder, without reading all of it. */
const firstEntries = (path: string, count: number): Dirent[] => {
  const folder = opendirSync(path);
  try {
    const entries: Dirent[] = [];
    for (let one = folder.readSync(); one !== null && entries.length < count; one = folder.readSync())
      entries.push(one);
    return entries;
  } finally {
    folder.closeSync();
  }
};

/** Gives an entry a name that no program looks for; nothing of it is lost. */
export const setAside = ({ folder, note, shown }: Omit<Place, 'isUsed'>, name: string, why: string): void => {
  const free = freeName(name, (other) => statOf(folder, other) !== undefined);
  renameSync(folder.entry(name), folder.entry(free));
  note(`${shown(name)} was renamed to ${free}: ${why}.`);
};

const readShort = (folder: Folder, name: string): string | undefined =>
  readPlainFile(folder.entry(name), maxConfigBytes);

/** Puts a new file in the place of what is there: another name may lead to the old one. */
export const replace = (folder: Folder, name: string, text: string): void => {
  const fresh = `${name}.${nanoid()}`;
  writeFileSync(folder.entry(fresh), text, { flag: 'wx', mode: 0o644 });
  renameSync(folder.entry(fresh), folder.entry(name));
};

const makeConfigSafe = (place: Place): void => {
  const { folder, note, shown } = place;
  if (statOf(folder, 'config') === undefined) return;
  const text = readShort(folder, 'config');
  if (text === undefined) return setAside(place, 'config', 'git reads it, and it is no plain file');
  const safe = safeGitConfig(text);
  if (safe.text !== text || (statOf(folder, 'config')?.nlink ?? 0) !== 1)
    replace(folder, 'config', safe.text);
  if (safe.dropped.length > 0)
    note(
      `From ${shown('config')} settings were removed that a command may not make: ${safe.dropped.slice(0, 10).join(', ')}.`,
    );
};

const makeHooksSafe = (place: Place): void => {
  const { folder } = place;
  const stats = statOf(folder, 'hooks');
  if (stats === undefined) return;
  const hooks = stats.isDirectory() ? firstEntries(folder.entry('hooks'), maxSamples) : undefined;
  const isSample = (one: Dirent) => one.isFile() && one.name.endsWith('.sample');
  if (hooks !== undefined && hooks.length < maxSamples && hooks.every(isSample)) return;
  setAside(place, 'hooks', 'git runs what stands there');
  mkdirSync(folder.entry('hooks'));
};

const makeTodoSafe = (place: Place, name: string): void => {
  const { folder, note, shown } = place;
  const text = readTodo(folder.entry(name));
  if (text === undefined) return setAside(place, name, 'git reads it, and it is no plain file');
  const safe = withoutCommands(text);
  replace(folder, name, safe.text);
  const lines = safe.dropped === 1 ? '1 line was' : `${safe.dropped} lines were`;
  note(`From ${shown(name)} ${lines} removed that run programs: a command may not write them.`);
};

const makeWholeSafe = (place: Place): void => {
  const { folder, isUsed: isOwn } = place;
  if (readShort(folder, 'commondir') === '.' && !isOwn('commondir')) unlinkSync(folder.entry('commondir'));
  for (const name of ['commondir', 'gitdir', 'config.worktree'])
    if (statOf(folder, name) !== undefined && !isOwn(name))
      setAside(place, name, 'git would read its settings elsewhere');
  for (const name of ['modules', 'worktrees'])
    if (statOf(folder, name)?.isSymbolicLink() === true) setAside(place, name, 'it is a link');
  makeConfigSafe(place);
  makeHooksSafe(place);
};

const makeWorktreeSafe = (place: Place): void => {
  const { folder } = place;
  for (const name of ['config', 'hooks', 'config.worktree'])
    if (statOf(folder, name) !== undefined) setAside(place, name, 'git reads it');
  const leadsHome = readShort(folder, 'commondir')?.trim() === '../..';
  if (!leadsHome && statOf(folder, 'commondir') !== undefined)
    setAside(place, 'commondir', 'git would read its settings elsewhere');
};

/** What a command left: sentences for the person and the model, and changed files that other programs run. */
export interface Left {
  notes: string[];
  changed: ChangedRunFiles;
}

interface Sweep {
  territory: Territory;
  before: ProtectedPlaces;
  after: ProtectedPlaces;
  notes: string[];
  /** Where the person finds what stands in the root now. */
  shownRoot: string;
  isUsed(path: string): boolean;
}

const ownerRights = 0o700;

/** Opens a folder to change it: a command may have taken the rights to that from its owner. */
const openToChange = (path: string): Folder | undefined => {
  try {
    const folder = openFolder(path);
    const { mode } = fstatSync(folder.fd);
    if ((mode & ownerRights) !== ownerRights) fchmodSync(folder.fd, (mode & 0o7777) | ownerRights);
    return folder;
  } catch {
    // Gone, or another one by now: another command is at work, and the end of that one looks again.
    return undefined;
  }
};

const inFolder = (sweep: Sweep, path: string, run: (place: Place) => void): void => {
  const folder = openToChange(path);
  if (folder === undefined) return;
  const shown = (name: string) => join(sweep.shownRoot, relative(sweep.territory.root, join(path, name)));
  const note = (sentence: string) => void sweep.notes.push(sentence);
  try {
    run({ folder, note, shown, isUsed: (name) => sweep.isUsed(join(path, name)) });
  } catch (error) {
    // The others are looked after all the same.
    const reason = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    note(
      `${shown('')} has something that other programs may run, and it could not be made safe (${reason}).`,
    );
  } finally {
    closeSync(folder.fd);
  }
};

const makeRepositorySafe = (sweep: Sweep, { folder, kind }: Repository): void =>
  inFolder(sweep, folder, kind === 'worktree' ? makeWorktreeSafe : makeWholeSafe);

/** Whether a `.git` file names a repository in the root that was looked at. */
const leadsToKnown = ({ after }: Sweep, { folder }: Place): boolean => {
  const target = /^gitdir: (.+?)\n?$/.exec(readShort(folder, '.git') ?? '')?.[1];
  return target !== undefined && after.repositories.has(resolve(folder.path, target));
};

const isEmpty = (folder: Folder, name: string): boolean => {
  const stats = statOf(folder, name);
  if (stats?.isDirectory() === true) return firstEntries(folder.entry(name), 1).length === 0;
  return stats?.isFile() === true && stats.size === 0;
};

const setAsideAt = (sweep: Sweep, path: string): void =>
  inFolder(sweep, dirname(path), (place) => {
    const [{ folder }, name] = [place, basename(path)];
    if (statOf(folder, name) === undefined) return;
    if (sweep.isUsed(path)) return;
    if (normalizeName(name) === '.git' && leadsToKnown(sweep, place)) return;
    if (stateFolders.has(basename(dirname(path))) && todoNames.has(name)) return makeTodoSafe(place, name);
    // A copy of a stand-in.
    if (!isEmpty(folder, name))
      setAside(place, name, 'it makes other programs run things, and a command may not make it');
    else if (statOf(folder, name)?.isDirectory() === true) rmdirSync(folder.entry(name));
    else unlinkSync(folder.entry(name));
  });

const restoreLink = (sweep: Sweep, path: string, target: string): void =>
  inFolder(sweep, dirname(path), ({ folder, note, shown }) => {
    if (statOf(folder, basename(path)) !== undefined) return;
    symlinkSync(target, folder.entry(basename(path)));
    note(`${shown(basename(path))} is again the link that it was.`);
  });

const isNew = ({ before }: Sweep, path: string, link: string | undefined): boolean =>
  !before.kept.has(path) || before.kept.get(path) !== link;

/** Changes that are made in one step. */
const changesAtOnce = 16;

/** Makes new repositories and new files safe for programs outside the sandbox. */
const sweepUp = async (sweep: Sweep): Promise<void> => {
  const { before, after } = sweep;
  const fresh = [...after.repositories.values()].filter(({ folder }) => !before.repositories.has(folder));
  const inFresh = new Set(fresh.map(({ folder }) => folder));
  await inSteps(fresh, (repository) => makeRepositorySafe(sweep, repository), changesAtOnce);
  const fixed = [...after.kept].filter(
    ([path, link]) =>
      isNew(sweep, path, link) && !(gitNames.has(basename(path)) && inFresh.has(dirname(path))),
  );
  await inSteps(fixed, ([path]) => setAsideAt(sweep, path), changesAtOnce);
  await inSteps(
    before.kept,
    ([path, link]) => void (link === undefined || restoreLink(sweep, path, link)),
    changesAtOnce,
  );
};

/** Inspects the root after a command, and makes what it left safe for other programs. */
export const sweepAfter = async (territory: Territory, before: ProtectedPlaces): Promise<Left> => {
  const notes: string[] = [];
  const after = await findProtectedPlaces(territory, {
    named: before.named,
    without: before.unseen,
    limit: Infinity,
    opened: (folder) =>
      notes.push(`${relative(territory.root, folder)} was closed and is open to its owner again.`),
  });
  const isOfOthers = (path: string) => {
    const other = standInsOfOthers(territory.privateFolder, { ending: false }).get(path);
    return other !== undefined && isIntact(other);
  };
  const isUsed = (path: string) => isUsedStandIn(path) || isOfOthers(path);
  await sweepUp({ territory, before, after, notes, shownRoot: '', isUsed });
  if (before.runFiles.isCut || after.runFiles.isCut) notes.push(notAllCompared);
  return { notes, changed: changedRunFiles(territory.root, before.runFiles, after.runFiles) };
};

/** The same for a repository that was made in a folder of its own, before it gets its place in the root. */
export const sweepRepository = async (folder: string): Promise<string[]> => {
  const territory = { root: folder, privateFolder: '/nowhere' };
  const notes: string[] = [];
  const after = await findProtectedPlaces(territory, {
    start: { folder, kind: 'whole' },
    named: [],
    limit: Infinity,
    opened: () => undefined,
  });
  await sweepUp({
    territory,
    before: noPlaces(),
    after,
    notes,
    shownRoot: '.git',
    isUsed: isUsedStandIn,
  });
  return notes;
};
