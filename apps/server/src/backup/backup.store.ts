import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import { nanoid } from 'nanoid';
import { sqliteFile, type DatabasePlace } from '../db/index.ts';
import { errors } from '../errors.ts';

/** What a copy holds. */
export const copied = { store: 'drawbridge.db', secret: 'auth-secret' } as const;

const busyTimeoutMs = 10_000;

/** Throws `unreadable` for a store that is damaged. */
export const requireSound = (file: string): void => {
  const sqlite = new Database(file);
  try {
    const rows = sqlite.prepare('pragma quick_check(1)').raw().all();
    if (JSON.stringify(rows) === '[["ok"]]') return;
  } catch {
    // Not a store at all.
  } finally {
    sqlite.close();
  }
  throw errors.unreadable({ message: `${file} is damaged`, fix: 'Use an earlier copy.' });
};

/** Copies a store as it is at one moment, also while a server writes to it. */
export const copyStore = (from: string, to: string): void => {
  const sqlite = new Database(from);
  try {
    sqlite.pragma(`busy_timeout = ${busyTimeoutMs}`);
    sqlite.prepare('vacuum into ?').run(to);
  } finally {
    sqlite.close();
  }
  chmodSync(to, 0o600);
};

const sync = (path: string) => {
  const handle = openSync(path, 'r');
  fsyncSync(handle);
  closeSync(handle);
};

const requireEmpty = (folder: string) => {
  if (!existsSync(folder) || readdirSync(folder).length === 0) return;
  throw errors.conflictingResult({
    message: `${folder} is not empty`,
    fix: 'Name a folder that does not exist yet.',
  });
};

/**
 * Copies the store and the cookie secret into `folder`, a new or empty folder of this user, completely or not
 * at all. Throws `conflictingResult` for a folder with content, `unreadable` for a damaged copy.
 */
export const backUp = (place: DatabasePlace, folder: string): void => {
  requireEmpty(folder);
  const draft = `${folder}.${nanoid(8)}`;
  mkdirSync(draft, { recursive: true, mode: 0o700 });
  try {
    copyStore(sqliteFile(place), join(draft, copied.store));
    requireSound(join(draft, copied.store));
    copyFileSync(join(place.dataDir, copied.secret), join(draft, copied.secret));
    chmodSync(join(draft, copied.secret), 0o600);
    for (const name of Object.values(copied)) sync(join(draft, name));
    sync(draft);
    renameSync(draft, folder);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
};
