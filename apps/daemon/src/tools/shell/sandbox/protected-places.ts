import { constants, lstatSync, type Dirent } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { nextMacrotask } from '@drawbridge/kit';
import { atOneMoment, gitNames, isProtected, isWithin, type Territory } from '../../../paths/protected.ts';
import { runClassIn } from '../../../paths/run-names.ts';
import { isAccessible, readQuietly } from '../../../program/quiet-files.ts';
import { coversOf } from './covers.ts';
import { linkAt, namedPrograms, placesOf } from './git/named-programs.ts';
import { stateFolders, unsafeEntries } from './git/states.ts';
import { closedOn, listFolder, openClosed } from './list-folder.ts';
import { addRunFile, noRunFiles, type RunFiles } from './run-files.ts';
import { isStandIn, type StandIn } from './stand-ins.ts';
import { isExcluded } from '../../../paths/limits.ts';

/** Folders inspected before a command, nearest to the root first; the rest is made read-only. */
const maxFoldersLookedAt = 20_000;
const foldersAtOnce = 32;
/** Entries that are compared in one step; other work has its turn in between. */
const entriesAtOnce = 256;

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
  /** Folders that are closed in one piece: not inspected, closed to us, or with too much in them. */
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

/** Runs for each of these; after some of them other work has its turn. */
export const inSteps = async <T>(all: Iterable<T>, run: (one: T) => void, atOnce = entriesAtOnce) => {
  let count = 0;
  for (const one of all) {
    run(one);
    count += 1;
    if (count % atOnce === 0) await nextMacrotask();
  }
};

/** Whether something stands there that this process reaches by its name. */
export const isThere = (path: string): boolean => {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
};

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

const insidePlain = async (
  territory: Territory,
  folder: string,
  entries: Dirent[],
  places: ProtectedPlaces,
): Promise<Ahead[]> => {
  const classOf = runClassIn(relative(territory.root, folder));
  const inspect = (entry: Dirent): Ahead[] => {
    const path = join(folder, entry.name);
    const isFolder = entry.isDirectory();
    if (isFolder && entry.name === '.git') return [{ folder: path, kind: 'whole' }];
    if (entry.isFIFO() || entry.isSocket()) places.pipes.push(path);
    const runClass = classOf(entry.name);
    if (runClass === 'kept' || isProtected(territory, path, 'write')) places.kept.set(path, linkAt(path));
    else if (isFolder && !isExcluded(entry.name)) return [{ folder: path, kind: 'plain' }];
    else if (!isFolder && runClass === 'shown') addRunFile(places.runFiles, path);
    return [];
  };
  const ahead: Ahead[] = [];
  await inSteps(entries, (entry) => {
    for (const inner of inspect(entry)) ahead.push(inner);
  });
  return ahead;
};

interface Look {
  territory: Territory;
  places: ProtectedPlaces;
  /** Lists a folder that is closed to us. */
  listClosed(folder: string): Promise<Dirent[]>;
}

const inspectFolder = async (
  { territory, places, listClosed }: Look,
  { folder, kind }: Ahead,
): Promise<Ahead[]> => {
  const entries = (await listFolder(folder)) ?? (await listClosed(folder));
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
    : insidePlain(territory, folder, entries, places);
};

/** Drops what vanished meanwhile; if it comes back, the sweep after the command finds it new. */
const leaveOutGone = async (places: ProtectedPlaces): Promise<void> => {
  for (const paths of [places.kept, places.repositories])
    await inSteps([...paths.keys()], (path) => void (isThere(path) || paths.delete(path)));
  places.unseen = places.unseen.filter(isThere);
};

interface Inspection {
  start?: Ahead;
  /** What the settings of git named before a command; read now where it is not given. */
  named?: readonly string[];
  without?: readonly string[];
  limit?: number | undefined;
  signal?: AbortSignal;
  /** Given after a command: folders that are closed to us are opened to their owner, and named to it. */
  opened?(folder: string): void;
}

/**
 * Finds protected places below the root, except in excluded folders (`node_modules`, …).
 * `unseen` has what is closed in one piece, at the worst the root.
 */
export const findProtectedPlaces = async (
  territory: Territory,
  { start, named, without = [], limit = maxFoldersLookedAt, signal, opened }: Inspection = {},
): Promise<ProtectedPlaces> => {
  const places = noPlaces();
  const { root } = territory;
  const closed = new Set<string>();
  const listClosed = async (folder: string): Promise<Dirent[]> => {
    if (opened !== undefined) return openClosed(folder, { root, opened });
    closed.add(closedOn(folder, root));
    return [];
  };
  const look = { territory: atOneMoment(territory), places, listClosed };
  const skipped = new Set(root === '/' ? [...without, '/proc', '/sys', '/dev'] : without);
  let ahead: Ahead[] = [start ?? { folder: root, kind: 'plain' }].filter(
    ({ folder }) => !skipped.has(folder),
  );
  for (let inspected = 0; ahead.length > 0;) {
    signal?.throwIfAborted();
    const batch = ahead.splice(0, Math.min(foldersAtOnce, limit - inspected));
    if (batch.length === 0) break;
    inspected += batch.length;
    for (const next of await Promise.all(batch.map((next) => inspectFolder(look, next))))
      for (const inner of next) if (!skipped.has(inner.folder)) ahead.push(inner);
  }
  places.named = [...(named ?? (await namedPrograms(territory, places)))];
  for (const path of places.named)
    for (const [place, link] of placesOf(path, root)) places.kept.set(place, link);
  if (opened === undefined) {
    const paths = [...places.kept.keys(), ...[...places.repositories.values()].flatMap(standInPlaces)];
    const unseen = [...ahead.map(({ folder }) => folder), ...closed];
    places.unseen = coversOf(root, { unseen, paths });
  }
  await leaveOutGone(places);
  return places;
};

export const canWrite = (folder: string): boolean => isAccessible(folder, constants.W_OK);

const standInPlaces = ({ folder, kind }: Repository): string[] =>
  kind === 'whole' ? ['commondir', 'config', 'hooks'].map((name) => join(folder, name)) : [];

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
export const standInsFor = (
  root: string,
  { repositories, unseen }: ProtectedPlaces,
  others: ReadonlyMap<string, StandIn>,
): StandIn[] =>
  [
    ...editorFolders.map((name) => ({ path: join(root, name) })),
    ...[...repositories.values()].flatMap(standInsOf),
  ].filter(
    ({ path }) =>
      !unseen.some((folder) => isWithin(path, folder)) &&
      (isStandIn(path) || others.has(path) || !isThere(path)) &&
      isThere(dirname(path)) &&
      canWrite(dirname(path)),
  );
