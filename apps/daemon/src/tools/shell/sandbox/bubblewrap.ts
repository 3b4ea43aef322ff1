import { realpathSync, statSync } from 'node:fs';
import { dirname, sep } from 'node:path';
import { isWithin } from '../../../paths/protected.ts';

export interface Walls {
  root: string;
  temporary: string;
  /** Arguments that show the system, to be read. */
  system: string[];
  /** To be read, outside of the root; and links that lead there. All of them are there. */
  opened: string[];
  links: { path: string; target: string }[];
  /** Files shown in the place of others, to be read. */
  made: { place: string; file: string }[];
  /** Closed for reading with all below; what is not there is left out. */
  hidden: string[];
  /** Inside of what is hidden, and yet to be read; what is not there is left out. */
  shown: string[];
  /** Closed like `hidden`; other programs remove and make them at any time. */
  pipes: string[];
  /** In the root and not to be written, renamed or removed. All of them are there. */
  kept: string[];
  /** Folders shown in the place of others, and written there. */
  instead: { place: string; folder: string }[];
  /** Arguments for what is written beside the root and the temporary folder. */
  caches: string[];
  /** An empty file that cannot be written: what a hidden file looks like. */
  emptyFile: string;
}

interface Hidden {
  path: string;
  isFolder: boolean;
}

const realOf = (path: string): Hidden[] => {
  try {
    const real = realpathSync(path);
    return [{ path: real, isFolder: statSync(real).isDirectory() }];
  } catch {
    // Not there, or closed to us: then it is closed to a command too.
    return [];
  }
};

const withoutInner = (paths: string[]): string[] => {
  const all = new Set(paths);
  return [...all].filter((path) => {
    for (let at = path; at !== dirname(at);) if (all.has((at = dirname(at)))) return false;
    return true;
  });
};

/** Folders between the root and these paths: as mounts they cannot be renamed or removed. */
const foldersAbove = (paths: string[], root: string): string[] => {
  const folders = new Set<string>();
  for (const path of paths)
    for (let at = dirname(path); at !== root && isWithin(at, root) && !folders.has(at); at = dirname(at))
      folders.add(at);
  return [...folders].sort((one, other) => one.split(sep).length - other.split(sep).length);
};

const kernelFolders = ['/proc', '/dev', '/sys'];

const pinsFor = (targets: string[], root: string): string[] =>
  foldersAbove(
    targets.filter((path) => isWithin(path, root)),
    root,
  ).filter((folder) => root !== '/' || !kernelFolders.some((kernel) => isWithin(folder, kernel)));

/** The root, writable. Pins lie below a second mount of it, so that renames do not cross two mounts. */
const rootMounts = (root: string, pins: string[]): string[] => {
  const below = pins.flatMap((folder) => ['--ro-bind', folder, folder]);
  const covers = root === '/' ? new Set(pins.map((folder) => `/${folder.split(sep)[1] ?? ''}`)) : [root];
  return ['--bind', root, root, ...below, ...[...covers].flatMap((cover) => ['--bind', cover, cover])];
};

const commonTemporary = '/tmp';

/** The command's own folder appears as `/tmp`, unless the root is below it. */
export const temporaryInside = (root: string, temporary: string): string =>
  isWithin(root, commonTemporary) || isWithin(commonTemporary, root) ? temporary : commonTemporary;

/** Where something of it is seen: it lies in a place that is shown, or one of them in it. */
const isSeen = (path: string, { root, opened }: Walls): boolean =>
  [root, ...opened].some((shown) => isWithin(path, shown) || isWithin(shown, path));

/** Everything but the root, to be read: nothing, where the root is the whole disk. */
const surroundings = ({ root, system, opened, links }: Walls): string[] => {
  if (root === '/') return ['--ro-bind', '/', '/'];
  return [
    ...system,
    ...opened.flatMap((path) => ['--ro-bind-try', path, path]),
    ...links.flatMap(({ path, target }) => ['--symlink', target, path]),
  ];
};

/**
 * bubblewrap's arguments before the command: no network, no other processes, these walls on the disk.
 * `held`: paths on which the walls lie, which come off where another program replaces one of them.
 */
export const bubblewrapArguments = (walls: Walls): { arguments: string[]; held: string[] } => {
  const { root, temporary, instead, emptyFile } = walls;
  const seen = (paths: string[]) => paths.flatMap(realOf).filter(({ path }) => isSeen(path, walls));
  const closed = seen(walls.hidden);
  const hidden = [...closed, ...seen(walls.pipes)];
  const kept = withoutInner(walls.kept);
  const hide = ({ path, isFolder }: Hidden) =>
    isFolder ? ['--tmpfs', path] : ['--ro-bind', emptyFile, path];
  const isAbove = ({ path, isFolder }: Hidden) => isFolder && isWithin(root, path);
  const below = hidden.filter((one) => !isAbove(one));
  const isInShown = ({ path }: Hidden) =>
    walls.shown.some((shown) => path !== shown && isWithin(path, shown));
  const targets = [...kept, ...below.map(({ path }) => path), ...instead.map(({ place }) => place)];
  const pins = pinsFor(targets, root);
  const held = [...kept, ...closed.map(({ path }) => path), ...instead.map(({ place }) => place), ...pins];
  const all = [
    ...['--new-session', '--die-with-parent', '--cap-drop', 'ALL'],
    ...['--unshare-user', '--unshare-pid', '--unshare-net', '--unshare-ipc'],
    ...surroundings(walls),
    ...hidden.filter(isAbove).flatMap(hide),
    ...rootMounts(root, pins),
    ...instead.flatMap(({ place, folder }) => ['--bind', folder, place]),
    ...kept.flatMap((path) => ['--ro-bind', path, path]),
    ...below.flatMap(hide),
    ...[
      ...walls.shown.map((path) => [path, path]),
      ...walls.made.map(({ file, place }) => [file, place]),
    ].flatMap(([from = '', to = '']) => ['--ro-bind-try', from, to]),
    ...below.filter(isInShown).flatMap(hide),
    // After the walls: one of them may stand on a folder above it.
    ...['--bind', temporary, temporaryInside(root, temporary)],
    ...walls.caches,
    ...['--dev', '/dev', '--proc', '/proc'],
    // What stands between the mounts, the home folder among it.
    ...(root === '/' ? [] : ['--remount-ro', '/']),
  ];
  return { arguments: all, held };
};
