import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createSerialQueue, createTimer, type Clock } from '@drawbridge/kit';
import writeFileAtomic from 'write-file-atomic';
import type { DaemonStatus } from './status.ts';

const countsMs = 1_000;

export const statusPath = (folder: string): string => join(folder, 'status.json');

/** `status.json` (0600) in the folder of a locked journal. Write errors are ignored. */
export const createStatusFile = (
  first: DaemonStatus,
  { folder, clock }: { folder: string; clock: Clock },
) => {
  const path = statusPath(folder);
  let current = first;
  const inTurn = createSerialQueue();
  const timer = createTimer(clock);
  let latest: () => Partial<DaemonStatus> = () => ({});

  const write = () => {
    timer.cancel();
    current = { ...current, ...latest() };
    const text = JSON.stringify(current);
    // No fsync: after a crash of the machine the file means nothing.
    inTurn(() => writeFileAtomic(path, text, { mode: 0o600, fsync: false })).catch(() => {});
  };

  return {
    /** Writes what changed at once. */
    update: (change: Partial<DaemonStatus>) => {
      current = { ...current, ...change };
      write();
    },
    /** Writes within a second; `change` is called when it does. */
    updateSoon: (change: () => Partial<DaemonStatus>) => {
      latest = change;
      if (!timer.isWaiting()) timer.start(countsMs, write);
    },
    close: async () => {
      timer.cancel();
      await inTurn(() => rm(path, { force: true }));
    },
  };
};

export type StatusFile = ReturnType<typeof createStatusFile>;
