import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createSerialQueue, createTimer, type Clock } from '@drawbridge/kit';
import writeFileAtomic from 'write-file-atomic';
import type { DaemonStatus } from './status.ts';

const countsMs = 1_000;

/** `status.json` (0600) in the folder of a locked journal. Write errors are ignored. */
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
  const inTurn = createSerialQueue();
  const timer = createTimer(clock);

  const write = () => {
    timer.cancel();
    const text = JSON.stringify(current);
    // No fsync: after a crash of the machine the file means nothing.
    inTurn(() => writeFileAtomic(path, text, { mode: 0o600, fsync: false })).catch(() => {});
  };

  return {
    update: (change, when) => {
      current = { ...current, ...change };
      if (when === 'now') write();
      else if (!timer.isWaiting()) timer.start(countsMs, write);
    },
    close: async () => {
      timer.cancel();
      await inTurn(() => rm(path, { force: true }));
    },
  };
};
