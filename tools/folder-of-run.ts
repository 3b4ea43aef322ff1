import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
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
 * A new folder for the stores of a test run, removed when this process ends; in memory where this machine has 1 GiB for
 * it. A commit of SQLite waits for the disk, and tests make thousands of them.
 */
export const folderOfRun = (): string => {
  const folder = mkdtempSync(join(hasRoom() ? memory : tmpdir(), 'drawbridge-tests-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
};
