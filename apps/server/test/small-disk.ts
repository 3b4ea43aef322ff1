import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A file system of its own that can be filled to the last page. */
export interface SmallDisk {
  folder: string;
  /** Writes until nothing more goes in. */
  fill(): void;
  /** Makes room again. */
  empty(): void;
  remove(): void;
}

const run = (command: string, args: string[]) => spawnSync(command, args, { stdio: 'ignore' }).status === 0;

const page = Buffer.alloc(4_096);

/** Mounts one; null if that is not permitted. */
export const mountSmallDisk = (mebibytes: number): SmallDisk | null => {
  const folder = mkdtempSync(join(tmpdir(), 'small-disk-'));
  const removeFolder = () => rmSync(folder, { recursive: true, force: true });
  if (!run('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m,mode=0700`, 'tmpfs', folder])) {
    removeFolder();
    return null;
  }
  const filler = join(folder, 'filler');
  return {
    folder,
    fill: () => {
      const file = openSync(filler, 'a');
      try {
        for (;;) writeSync(file, page);
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
      } finally {
        closeSync(file);
      }
    },
    empty: () => rmSync(filler, { force: true }),
    remove: () => {
      // A store that was closed holds its file until its statements are collected.
      run('umount', ['--lazy', folder]);
      removeFolder();
    },
  };
};
