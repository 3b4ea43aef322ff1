import { lstatSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';
import { serverPlace, serverPlacesFolder } from '@drawbridge/contracts/machines/server-places';
import type { Clock } from '@drawbridge/kit';
import { readQuietly } from '../program/quiet-files.ts';
import { parseJson } from '../text/parse-json.ts';
import { mountNamesOf, readMounts, type Mount } from './mount-names.ts';

const maxServers = 1_000;
/** What a store and its secrets are called; a folder with none of them holds nothing that is closed. */
const marks = ['auth-secret', 'drawbridge.db'];
/** Beside a store that is a file. */
const besideStore = ['', '-wal', '-shm', '-journal'];
/** What is closed is looked up again after this, in milliseconds. */
const lookAgainMs = 1_000;
/** A server may still be making its store for so long after it wrote its entry. */
const startsWithinMs = 60_000;

const accountHome = (): string => {
  try {
    return userInfo().homedir;
  } catch {
    // An account without an entry in the system's list.
    return homedir();
  }
};

const filesIn = (folder: string): string[] => {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.json'))
      .slice(0, maxServers)
      .map((name) => join(folder, name));
  } catch {
    return [];
  }
};

interface Entry {
  paths: string[];
  /** When a server wrote it last. */
  writtenAt: number;
}

const readEntry = (file: string): Entry[] => {
  const paths = parseJson(serverPlace, readQuietly(file) ?? '')?.paths;
  const writtenAt = lstatSync(file, { throwIfNoEntry: false })?.mtimeMs;
  return paths === undefined || writtenAt === undefined ? [] : [{ paths, writtenAt }];
};

const stampOf = (folder: string): string => {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  return found === undefined ? '' : `${found.ino} ${found.mtimeMs}`;
};

/** The path, where something of a server is there now: a folder that was used for something else is open. */
const closedAt = (path: string): string[] => {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return [];
  if (!found.isDirectory()) return besideStore.map((end) => path + end);
  return marks.some((name) => lstatSync(join(path, name), { throwIfNoEntry: false })) ? [path] : [];
};

const realPathOf = (path: string): string => {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
};

const namesOf = (paths: readonly string[], mounts: readonly Mount[]): string[] =>
  paths.flatMap((path) => {
    const real = realPathOf(path);
    return [path, real, ...mountNamesOf(real, mounts)];
  });

/** What was looked up at a time. */
interface Known {
  stamp: string;
  at: number;
  mounts: readonly Mount[];
  /** Of entries that were written a while ago, and of what is always closed. */
  names: string[];
  /** Paths of servers that may be starting. */
  starting: string[];
}

/**
 * Folders and files of servers of this account, by every name that they have: what the servers have written
 * down themselves, and `alwaysClosed`. A server that starts is known at the next call; a folder that comes
 * back without one, a link or a mount within `lookAgainMs`.
 */
export const createServerFolders = (
  clock: Pick<Clock, 'now'>,
  alwaysClosed: readonly string[] = [],
): (() => readonly string[]) => {
  const folders = [...new Set([homedir(), accountHome()])].map((home) => join(home, ...serverPlacesFolder));
  const look = (stamp: string, at: number): Known => {
    const entries = folders.flatMap(filesIn).flatMap(readEntry);
    const pathsOf = (isStarting: boolean) =>
      entries
        .filter(({ writtenAt }) => at - writtenAt < startsWithinMs === isStarting)
        .flatMap(({ paths }) => paths);
    const mounts = readMounts();
    const names = namesOf([...alwaysClosed, ...pathsOf(false).flatMap(closedAt)], mounts);
    return { stamp, at, mounts, names, starting: pathsOf(true) };
  };
  let known: Known | undefined;
  return () => {
    const now = clock.now();
    const stamp = folders.map(stampOf).join();
    if (known?.stamp !== stamp || Math.abs(now - known.at) >= lookAgainMs) known = look(stamp, now);
    const { names, starting, mounts } = known;
    return [...new Set([...names, ...namesOf(starting.flatMap(closedAt), mounts)])];
  };
};
