import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import {
  serverPlace,
  serverPlacesFolder,
  type ServerPlace,
} from '@drawbridge/contracts/machines/server-places';

/** Beyond these, entries of folders that are gone are removed. */
const maxEntries = 50;

export interface StorePlace {
  dataDir: string;
  /** `file:<path>`, where it is set. */
  databaseUrl?: string | undefined;
}

/** The home folders in which daemons of this account look: by the environment and by the system. */
const accountHomes = (): string[] => {
  try {
    return [...new Set([homedir(), userInfo().homedir])];
  } catch {
    return [homedir()];
  }
};

const isGone = (path: string): boolean => {
  try {
    const read = serverPlace.safeParse(JSON.parse(readFileSync(path, 'utf8')));
    return !read.success || !read.data.paths.some((one) => existsSync(one));
  } catch {
    return true;
  }
};

const removeGone = (folder: string): void => {
  const paths = readdirSync(folder).map((name) => join(folder, name));
  if (paths.length <= maxEntries) return;
  for (const path of paths.filter(isGone)) rmSync(path, { force: true });
};

/** Where the store and the secrets are: absolute paths. */
export const placesOf = ({ dataDir, databaseUrl }: StorePlace): string[] => [
  resolve(dataDir),
  ...(databaseUrl?.startsWith('file:') ? [resolve(databaseUrl.slice('file:'.length))] : []),
];

/**
 * Writes down where this server keeps its store and its secrets, in a file (0600) below the home folder:
 * daemons of the account keep them closed. The entry stays, because a stopped server has its secrets too.
 * Throws what the disk says.
 */
export const writeServerPlace = (place: StorePlace, homes = accountHomes()): void => {
  const entry: ServerPlace = { version: 1, paths: placesOf(place) };
  const name = createHash('sha256').update(JSON.stringify(entry.paths)).digest('hex').slice(0, 16);
  for (const home of homes) {
    const folder = join(home, ...serverPlacesFolder);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const temporary = join(folder, `${name}.${randomUUID()}`);
    writeFileSync(temporary, `${JSON.stringify(entry)}\n`, { mode: 0o600, flag: 'wx' });
    renameSync(temporary, join(folder, `${name}.json`));
    removeGone(folder);
  }
};
