import { accessSync, constants, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { CodedError } from '@drawbridge/kit';
import Database from 'libsql';
import { z } from 'zod';
import { errors } from '../../errors.ts';
import { requireOwnFolder } from './own-folder.ts';
import { keepPrivate } from './private-file.ts';

/** The server that holds the lock. `url` is null until it listens. */
const folderHolder = z.object({ pid: z.number().int(), host: z.string(), url: z.string().nullable() });
export type FolderHolder = z.infer<typeof folderHolder>;

export interface FolderLock {
  /** Publishes the server's address to other processes. */
  setUrl(url: string): void;
  release(): void;
}

/** `holder` is null while the other server has not written its details. */
export type TakenFolder = { kind: 'taken'; lock: FolderLock } | { kind: 'held'; holder: FolderHolder | null };

/** Only SQLite opens this file: closing any other handle on it would release the lock of this process. */
const lockFile = (dataDir: string) => join(dataDir, 'server.lock');
const holderFile = (dataDir: string) => join(dataDir, 'server.json');

const isBusy = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'SQLITE_BUSY';

const readHolder = (dataDir: string): FolderHolder | null => {
  try {
    return folderHolder.parse(JSON.parse(readFileSync(holderFile(dataDir), 'utf8')));
  } catch {
    return null;
  }
};

/** Throws `dataFolderNotWritable`, with what the system says as its cause; a coded error stays as it is. */
const writing = <Result>(dataDir: string, run: () => Result): Result => {
  try {
    return run();
  } catch (cause) {
    if (cause instanceof CodedError) throw cause;
    const reason = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown';
    if (reason === 'EEXIST')
      throw errors.dataFolderNotWritable({
        message: `The data folder ${dataDir} is a file`,
        fix: 'Set DATA_DIR to a folder.',
        cause,
      });
    const message = `The server cannot write to its data folder ${dataDir} (${reason})`;
    throw errors.dataFolderNotWritable({ message, cause });
  }
};

const openLock = (dataDir: string) => {
  writing(dataDir, () => mkdirSync(dataDir, { recursive: true, mode: 0o700 }));
  // The files of a folder of another user cannot even be looked at.
  writing(dataDir, () => requireOwnFolder(dataDir));
  return writing(dataDir, () => {
    accessSync(dataDir, constants.W_OK);
    keepPrivate(lockFile(dataDir));
    return new Database(lockFile(dataDir));
  });
};

/**
 * Locks a data folder for this process. The kernel holds SQLite's file lock: it ends with the process and
 * works across containers with equal process ids. Throws `dataFolderUnsafe`, `dataFolderNotWritable`.
 */
export const takeFolder = (dataDir: string): TakenFolder => {
  const sqlite = openLock(dataDir);
  try {
    sqlite.pragma('busy_timeout = 0');
    sqlite.exec('begin exclusive');
  } catch (error) {
    sqlite.close();
    if (isBusy(error)) return { kind: 'held', holder: readHolder(dataDir) };
    throw error;
  }
  const write = (url: string | null) =>
    writeFileSync(holderFile(dataDir), JSON.stringify({ pid: process.pid, host: hostname(), url }), {
      mode: 0o600,
    });
  write(null);
  const release = () => {
    rmSync(holderFile(dataDir), { force: true });
    sqlite.exec('rollback');
    sqlite.close();
  };
  return { kind: 'taken', lock: { setUrl: write, release } };
};

/** The server that runs on a data folder, or null. Locks a folder without a server for a moment. */
export const readFolderHolder = (dataDir: string): FolderHolder | 'starting' | null => {
  const taken = takeFolder(dataDir);
  if (taken.kind === 'held') return taken.holder ?? 'starting';
  taken.lock.release();
  return null;
};

/** Locks a data folder, as `takeFolder`. Throws `dataFolderInUse`, which names the server that has it. */
export const lockFolder = (dataDir: string): FolderLock => {
  const taken = takeFolder(dataDir);
  if (taken.kind === 'taken') return taken.lock;
  const { holder } = taken;
  const at = holder?.url ? `, ${holder.url}` : '';
  const who = holder === null ? '' : `: process ${holder.pid} on ${holder.host}${at}`;
  throw errors.dataFolderInUse({ message: `Another server runs on the data folder ${dataDir}${who}` });
};
