import { lstatSync, readdirSync, statSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';
import { serverPlace, serverPlacesFolder } from '@drawbridge/contracts/machines/server-places';
import { readQuietly, realPathOf } from '../program/quiet-files.ts';
import { parseJson } from '../text/parse-json.ts';
import { mountNamesOf, readMounts } from './mount-names.ts';

const maxServers = 1_000;
/** What a store and its secrets are called; a folder with none of them holds nothing that is closed. */
const marks = ['auth-secret', 'drawbridge.db'];
/** Beside a store that is a file. */
const besideStore = ['', '-wal', '-shm', '-journal'];

const accountHome = (): string => {
  try {
    return userInfo().homedir;
  } catch {
    // An account without an entry in the system's list.
    return homedir();
  }
};

const entriesIn = (folder: string): string[] => {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.json'))
      .slice(0, maxServers)
      .map((name) => join(folder, name));
  } catch {
    return [];
  }
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

const namesOf = (paths: readonly string[]): string[] => {
  const mounts = readMounts();
  return paths.flatMap((path) => {
    const real = realPathOf(path) ?? path;
    return [path, real, ...mountNamesOf(real, mounts)];
  });
};

/**
 * Folders and files of servers of this account, by every name that they have: what the servers have written
 * down themselves, and `alwaysClosed`. It is read again at each call: a server may start at any time.
 */
export const createServerFolders = (alwaysClosed: readonly string[] = []): (() => readonly string[]) => {
  const folders = [...new Set([homedir(), accountHome()])].map((home) => join(home, ...serverPlacesFolder));
  let known: { stamp: string; paths: string[] } | undefined;
  const written = (): string[] => {
    const stamp = folders.map(stampOf).join();
    if (known?.stamp !== stamp) {
      const texts = folders.flatMap(entriesIn).map((path) => readQuietly(path) ?? '');
      known = { stamp, paths: texts.flatMap((text) => parseJson(serverPlace, text)?.paths ?? []) };
    }
    return known.paths;
  };
  return () => [...new Set(namesOf([...alwaysClosed, ...written().flatMap(closedAt)]))];
};
