import { chmodSync, copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Clock } from '@drawbridge/kit';
import Database from 'libsql';
import { nanoid } from 'nanoid';
import { sqliteFile, type DatabasePlace } from '../db/index.ts';
import { errors } from '../errors.ts';
import { copied, copyStore, requireSound } from './backup.store.ts';
import { settleRestored } from './settle-restored.store.ts';

interface Needs {
  place: DatabasePlace;
  clock: Clock;
  /** Brings the store in a data folder up to this version; throws for one of a later version. */
  upgrade(dataDir: string): Promise<void>;
}

export interface Restored {
  /** The folder with what was there before; null if there was nothing. */
  aside: string | null;
  /** False if what was revoked since the copy was made could not be found out. */
  compared: boolean;
}

const requireCopy = (folder: string) => {
  const missing = Object.values(copied).find((name) => !existsSync(join(folder, name)));
  if (missing === undefined) return;
  throw errors.notFound({
    message: `${folder} is not a backup: it has no ${missing}`,
    fix: 'Name the folder that backup created.',
  });
};

/** Writes what is in the log of a store into its file; false for a store that cannot be read. */
const checkpoint = (file: string): boolean => {
  if (!existsSync(file)) return false;
  try {
    const sqlite = new Database(file);
    sqlite.pragma('wal_checkpoint(truncate)');
    sqlite.close();
    return true;
  } catch {
    return false;
  }
};

/** A file, and what SQLite keeps beside it. */
const besides = (file: string) => [file, `${file}-wal`, `${file}-shm`].filter((path) => existsSync(path));

const setAside = (place: DatabasePlace, at: number): string | null => {
  const file = sqliteFile(place);
  const secret = join(place.dataDir, copied.secret);
  const files = besides(file);
  if (files.length === 0 && !existsSync(secret)) return null;
  const aside = join(dirname(file), `before-restore-${new Date(at).toISOString().replaceAll(':', '-')}`);
  mkdirSync(aside, { mode: 0o700 });
  if (existsSync(secret)) copyFileSync(secret, join(aside, copied.secret));
  for (const path of files) renameSync(path, path.replace(file, join(aside, copied.store)));
  return aside;
};

/**
 * Replaces the store by a backup and sets the former store aside; revocations since the backup stay in force.
 * Needs the folder lock. Throws `notFound` and `unreadable` for an invalid backup, before any change.
 */
export const restore = async ({ place, clock, upgrade }: Needs, folder: string): Promise<Restored> => {
  requireCopy(folder);
  const at = clock.now();
  const file = sqliteFile(place);
  const stage = join(dirname(file), `restoring-${nanoid(8)}`);
  const store = join(stage, copied.store);
  mkdirSync(stage, { recursive: true, mode: 0o700 });
  try {
    requireSound(join(folder, copied.store));
    copyStore(join(folder, copied.store), store);
    copyFileSync(join(folder, copied.secret), join(stage, copied.secret));
    chmodSync(join(stage, copied.secret), 0o600);
    await upgrade(stage);
    const sqlite = new Database(store);
    const compared = settleRestored(sqlite, { former: checkpoint(file) ? file : null, at });
    sqlite.close();
    checkpoint(store);
    const aside = setAside(place, at);
    renameSync(store, file);
    copyFileSync(join(stage, copied.secret), join(place.dataDir, copied.secret));
    return { aside, compared };
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
};
