import { constants, lstatSync, type Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { errors } from '../../common/errors.ts';
import { gitNames, isProtected, isWithin, type Territory } from '../../../paths/protected.ts';
import { runClassIn } from '../../../paths/run-names.ts';
import { isAccessible, readQuietly } from '../../../program/quiet-files.ts';
import { linkAt, namedPrograms, placesOf } from './git/named-programs.ts';
import { stateFolders, unsafeEntries } from './git/states.ts';
import { addRunFile, noRunFiles, type RunFiles } from './run-files.ts';
import type { StandIn } from './stand-ins.ts';
import { isExcluded } from '../../../paths/limits.ts';

/** Folders inspected before a command, nearest to the root first; the rest is made read-only. */
const maxFoldersLookedAt = 20_000;
/** Uninspected folders that are closed one by one; more are closed by a parent folder. */
const maxUnseen = 200;
const foldersAtOnce = 32;

export interface Repository {
  folder: string;
  /** A working tree's own folder, below `worktrees`, or a folder that holds a repository. */
  kind: 'whole' | 'worktree';
}

/** What a command must not change in the root. Absolute paths. */
export interface ProtectedPlaces {
  /** Protected files, folders and links that are there, with what a link leads to. */
  kept: Map<string, string | undefined>;
  /** Folders in which git finds a repository, also bare ones. */
  repositories: Map<string, Repository>;
  unseen: string[];
  /** Paths in the root that the settings of git name as programs, whether something stands there or not. */
  named: string[];
  /** Files that other programs run and that a command may change, with what tells a changed one. */
  runFiles: RunFiles;
  /** Named pipes and sockets of other programs, which no mount keeps from being written. */
  pipes: string[];
}

export const noPlaces = (): ProtectedPlaces => ({
  kept: new Map(),
  repositories: new Map(),
  unseen: [],
  named: [],
  runFiles: noRunFiles(),
  pipes: [],
});

type Kind = 'plain' | 'modules' | 'worktrees' | Repository['kind'];
interface Ahead {
  folder: string;
  kind: Kind;
}

const list = async (folder: string): Promise<Dirent[]> => {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch {
    // Gone, or closed to us: then it is closed to a command too.
    return [];
  }
};

export const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

/** Whether git takes a folder with these entries for a repository, whatever its name is. */
const isRepository = (entries: Dirent[]): boolean => {
  const names = new Set(entries.map(({ name }) => name));
  if (!names.has('HEAD')) return false;
  return names.has('commondir') || (names.has('objects') && names.has('refs'));
};

const foldersIn = (parent: string, entries: Dirent[], kind: Kind): Ahead[] =>
  entries.filter((one) => one.isDirectory()).map(({ name }) => ({ folder: join(parent, name), kind }));

const insideRepository = (folder: string, entries: Dirent[], places: ProtectedPlaces): Ahead[] => {
  const inside: Record<string, Kind> = { modules: 'modules', worktrees: 'worktrees' };
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (gitNames.has(entry.name)) places.kept.set(path, linkAt(path));
    if (!stateFolders.has(entry.name)) continue;
    const unsafe = entry.isDirectory()
      ? unsafeEntries(path, entry.name).map((name) => join(path, name))
      : [path];
    for (const one of unsafe) places.kept.set(one, linkAt(one));
  }
  return foldersIn(folder, entries, 'plain').flatMap((inner) => {
    const kind = inside[basename(inner.folder)];
    return kind === undefined ? [] : [{ ...inner, kind }];
  });
};

const insidePlain = (territory: Territory, folder: string, given: [Dirent[], ProtectedPlaces]): Ahead[] => {
  const [entries, places] = given;
  const classOf = runClassIn(relative(territory.root, folder));
  return entries.flatMap((entry): Ahead[] => {
    const path = join(folder, entry.name);
    const isFolder = entry.isDirectory();
    if (isFolder && entry.name === '.git') return [{ folder: path, kind: 'whole' }];
    if (entry.isFIFO() || entry.isSocket()) places.pipes.push(path);
    const runClass = classOf(entry.name);
    if (runClass === 'kept' || isProtected(territory, path, 'write')) places.kept.set(path, linkAt(path));
    else if (isFolder && !isExcluded(entry.name)) return [{ folder: path, kind: 'plain' }];
    else if (!isFolder && runClass === 'shown') addRunFile(places.runFiles, path);
    return [];
  });
};

const inspectFolder = async (
  territory: Territory,
  { folder, kind }: Ahead,
  places: ProtectedPlaces,
): Promise<Ahead[]> => {
  const entries = await list(folder);
  if (kind === 'worktrees') return foldersIn(folder, entries, 'worktree');
  const isModule = kind === 'modules' && entries.some(({ name }) => name === 'HEAD' || gitNames.has(name));
  const isOwn = kind === 'whole' || kind === 'worktree' || isModule;
  if (isOwn || isRepository(entries)) {
    // Without a HEAD git finds no repository; should it get one, that is a new repository.
    if (entries.some(({ name }) => name === 'HEAD'))
      places.repositories.set(folder, { folder, kind: kind === 'worktree' ? kind : 'whole' });
    return insideRepository(folder, entries, places);
  }
  return kind === 'modules'
    ? foldersIn(folder, entries, 'modules')
    : insidePlain(territory, folder, [entries, places]);
};

/** Few folders that hold all of these. Throws `tooManyFolders` where that is the root itself. */
const coverOf = (folders: string[], root: string): string[] => {
  let covers = new Set(folders);
  while (covers.size > maxUnseen) covers = new Set([...covers].map((folder) => dirname(folder)));
  if ([...covers].some((folder) => isWithin(root, folder))) throw errors.tooManyFolders();
  return [...covers];
};

/** Drops what vanished meanwhile; if it comes back, the sweep after the command finds it new. */
const leaveOutGone = ({ kept, repositories, unseen, ...rest }: ProtectedPlaces): ProtectedPlaces => ({
  kept: new Map([...kept].filter(([path]) => isThere(path))),
  repositories: new Map([...repositories].filter(([folder]) => isThere(folder))),
  unseen: unseen.filter(isThere),
  ...rest,
});

interface Inspection {
  start?: Ahead;
  /** What the settings of git named before a command; read now where it is not given. */
  named?: readonly string[];
  without?: readonly string[];
  limit?: number | undefined;
  signal?: AbortSignal;
}

/**
 * Finds protected places below the root, except in excluded folders (`node_modules`, …).
 * Throws `tooManyFolders` where the uninspected rest could only be closed with the root.
 */
export const findProtectedPlaces = async (
  territory: Territory,
  { start, named, without = [], limit = maxFoldersLookedAt, signal }: Inspection = {},
): Promise<ProtectedPlaces> => {
  const places = noPlaces();
  const skipped = new Set(territory.root === '/' ? [...without, '/proc', '/sys', '/dev'] : without);
  let ahead: Ahead[] = [start ?? { folder: territory.root, kind: 'plain' }];
  for (let inspected = 0; ahead.length > 0;) {
    signal?.throwIfAborted();
    const batch = ahead.splice(0, Math.min(foldersAtOnce, limit - inspected));
    if (batch.length === 0) break;
    inspected += batch.length;
    for (const next of await Promise.all(batch.map((next) => inspectFolder(territory, next, places))))
      for (const inner of next) if (!skipped.has(inner.folder)) ahead.push(inner);
  }
  if (ahead.length > 0)
    places.unseen = coverOf(
      ahead.map(({ folder }) => folder),
      territory.root,
    );
  places.named = [...(named ?? (await namedPrograms(territory, places)))];
  for (const path of places.named)
    for (const [place, link] of placesOf(path, territory.root)) places.kept.set(place, link);
  return leaveOutGone(places);
};

export const canWrite = (folder: string): boolean => isAccessible(folder, constants.W_OK);

const hasOwnConfigs = (folder: string): boolean =>
  /worktreeconfig/i.test(readQuietly(join(folder, 'config')) ?? '');

/** Stand-ins for missing files of a repository; none changes anything for git. */
const standInsOf = ({ folder, kind }: Repository): StandIn[] => {
  const whole = kind === 'whole' ? folder : dirname(dirname(folder));
  return [
    ...(kind === 'whole'
      ? [
          { path: join(folder, 'commondir'), text: '.' },
          { path: join(folder, 'config'), text: '' },
          { path: join(folder, 'hooks') },
        ]
      : []),
    ...(hasOwnConfigs(whole) ? [{ path: join(folder, 'config.worktree'), text: '' }] : []),
  ];
};

/** Folders that editors and agents read while they run. */
const editorFolders = ['.vscode', '.idea', '.claude', '.cursor'];
/**
 * Stand-ins for missing protected names that the person's programs may read at any time: in repositories and
 * editor folders. Other names are swept after the command.
 */
export const standInsFor = (root: string, { repositories }: ProtectedPlaces): StandIn[] =>
  [
    ...editorFolders.map((name) => ({ path: join(root, name) })),
    ...[...repositories.values()].flatMap(standInsOf),
  ].filter(({ path }) => !isThere(path) && isThere(dirname(path)) && canWrite(dirname(path)));
