import { lstatSync, realpathSync, type Stats } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { CodedError } from '@drawbridge/kit';
import { isInContainer } from '../../program/container.ts';
import { errors } from '../../errors.ts';

/** The user of this process. Numbers are those of the system; a container has no other users. */
export interface Process {
  uid: number;
  gid: number;
  isInContainer: boolean;
}

type Place = 'folder' | 'above' | 'file';

/** Files that others must not replace: with them they would be anyone. */
const files = ['auth-secret', 'drawbridge.db'];

const own = (): Process | null =>
  process.getuid === undefined || process.getgid === undefined
    ? null
    : { uid: process.getuid(), gid: process.getgid(), isInContainer: isInContainer() };

const statsOf = (path: string): Stats | null => lstatSync(path, { throwIfNoEntry: false }) ?? null;

/** Who else can write there; null for the user of this process, and root, alone. */
const writersOf = ({ mode, uid, gid }: Stats, place: Place, who: Process): string | null => {
  const isSticky = (mode & 0o1000) !== 0;
  const isOpen = (mode & 0o002) !== 0;
  const isOfGroup = (mode & 0o020) !== 0;
  if (who.isInContainer) return isOpen && !isSticky && place !== 'above' ? 'every user' : null;
  if (uid !== who.uid && uid !== 0) return `its owner (user ${uid})`;
  // In a sticky folder a name is replaced by its own owner alone.
  if (place === 'above' && isSticky) return null;
  if (isOpen) return 'every user';
  // Many systems give each user a group of their own, and folders are writable for it.
  const isOwnGroup = place === 'above' && (gid === who.gid || gid === 0);
  return isOfGroup && !isOwnGroup ? `its group (${gid})` : null;
};

const above = (path: string): string[] =>
  dirname(path) === path ? [] : [dirname(path), ...above(dirname(path))];

/** `path` and the folders above it, as they are named and as links lead. */
const placesOf = (path: string): [string, Place][] => {
  const paths = [...new Set([resolve(path), realpathSync(path)])];
  return [
    [realpathSync(path), 'folder'],
    ...[...new Set(paths.flatMap(above))].map((one): [string, Place] => [one, 'above']),
    ...files.map((name): [string, Place] => [join(path, name), 'file']),
  ];
};

/**
 * `dataFolderUnsafe` for an existing folder in which users other than that of this process can replace a
 * file: by the folder, one above it, or the file itself. Null for a safe one, and on Windows.
 */
export const findUnsafe = (folder: string, who: Process | null = own()): CodedError | null => {
  if (who === null) return null;
  for (const [path, place] of placesOf(folder)) {
    const stats = statsOf(path);
    const writers = stats && !stats.isSymbolicLink() ? writersOf(stats, place, who) : null;
    if (writers === null) continue;
    const run = writers.startsWith('its owner') ? `chown ${who.uid}` : 'chmod go-w';
    return errors.dataFolderUnsafe({
      message: `The data folder ${folder} is not safe: ${writers} can write to ${path}`,
      fix: `Run ${run} '${path}', or set DATA_DIR to a folder that only this user can write to.`,
    });
  }
  return null;
};

/** Throws what `findUnsafe` finds. */
export const requireOwnFolder = (folder: string): void => {
  const unsafe = findUnsafe(folder);
  if (unsafe !== null) throw unsafe;
};
