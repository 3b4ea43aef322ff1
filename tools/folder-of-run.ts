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
 * A new folder for the stores of a test run, removed when this process ends. It is in memory if 1 GiB is
 * free there, because each commit of SQLite waits for the disk.
 */
export const folderOfRun = (): string => {
  const folder = mkdtempSync(join(hasRoom() ? memory : tmpdir(), 'drawbridge-tests-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
};
