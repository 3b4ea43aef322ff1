import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '@drawbridge/kit';
import writeFileAtomic from 'write-file-atomic';
import type { DaemonStatus } from './status.ts';

/** Counts of calls reach the file this much later at most. */
const countsMs = 1_000;

/** `status.json` (0600) in the folder of a journal that this process holds. What cannot be written is left out. */
export interface StatusFile {
  /** Writes what changed at once, or within a second where it is `soon`. */
  update(change: Partial<DaemonStatus>, when: 'now' | 'soon'): void;
  close(): Promise<void>;
}

export const statusPath = (folder: string): string => join(folder, 'status.json');

export const createStatusFile = (
  first: DaemonStatus,
  { folder, clock }: { folder: string; clock: Clock },
): StatusFile => {
  const path = statusPath(folder);
  let current = first;
  let last: Promise<unknown> = Promise.resolve();
  let takeBack: (() => void) | null = null;

  const write = () => {
    takeBack?.();
    takeBack = null;
    const text = JSON.stringify(current);
    // It tells of a process that lives: after a crash of the machine nobody believes it.
    last = last.then(() => writeFileAtomic(path, text, { mode: 0o600, fsync: false })).catch(() => {});
  };

  return {
    update: (change, when) => {
      current = { ...current, ...change };
      if (when === 'now') write();
      else takeBack ??= clock.after(countsMs, write);
    },
    close: async () => {
      takeBack?.();
      await last;
      await rm(path, { force: true });
    },
  };
};
