import { chmodSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const memory = '/dev/shm';
const neededBytes = 2 ** 30;

const hasRoom = (): boolean => {
  try {
    const { bavail, bsize } = statfsSync(memory);
    return bavail * bsize >= neededBytes;
  } catch {
    return false;
  }
};

/**
 * A new folder for a test run, removed when this process ends. One for stores is in memory if 1 GiB is free
 * there, because each commit of SQLite waits for the disk.
 */
export const folderOfRun = (use: 'stores' | 'homes' | 'postgres' | 'compiled'): string => {
  const folder = mkdtempSync(join(use !== 'homes' && hasRoom() ? memory : tmpdir(), 'drawbridge-tests-'));
  // The user of Postgres reads below it.
  if (use === 'postgres') chmodSync(folder, 0o711);
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
};
