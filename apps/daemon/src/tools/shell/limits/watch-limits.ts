import { statfs } from 'node:fs/promises';
import type { Clock } from '@drawbridge/kit';
import { treeUsage } from './tree-usage.ts';

/** Which limit a command went beyond. */
export type Excess = 'memory' | 'processes' | 'disk';

export interface TreeLimits {
  processes: number;
  bytes: number;
  /** The free bytes of a disk that stay free, by those at the start. */
  keptFree(atStart: number): number;
  /** The same for its free inodes, one for each new file. */
  keptFiles(atStart: number): number;
}

const mebibyte = 1_024 ** 2;

/** Of a command with all that it starts. Where little was free already, it may use half of that. */
export const treeLimits: TreeLimits = {
  processes: 1_024,
  bytes: 8 * 1_024 * mebibyte,
  keptFree: (atStart) => Math.min(256 * mebibyte, atStart / 2),
  keptFiles: (atStart) => Math.min(10_000, atStart / 2),
};

const everyMs = 1_000;

/** `files`: free inodes; always 0 on a file system that has none. */
const freeOn = async (folder: string): Promise<{ bytes: number; files: number }> => {
  const { bavail, bsize, ffree } = await statfs(folder);
  return { bytes: bavail * bsize, files: ffree };
};

interface Watched {
  pid: number;
  /** One on each disk that the command can fill. */
  folders: readonly string[];
  limits: TreeLimits;
  clock: Clock;
}

/**
 * Looks each second whether a command and all that it started use too much. Without `/proc` only disks are
 * looked at. Gives what ends the watch.
 */
export const watchLimits = (
  { pid, folders, limits, clock }: Watched,
  exceeded: (what: Excess) => void,
): (() => void) => {
  let isOver = false;
  let isLooking = false;
  const starts = folders.map((folder) => freeOn(folder).catch(() => undefined));

  const isDiskLow = async (): Promise<boolean> => {
    for (const [at, folder] of folders.entries()) {
      const atStart = await starts[at];
      const now = await freeOn(folder).catch(() => undefined);
      if (atStart === undefined || now === undefined) continue;
      if (now.bytes < limits.keptFree(atStart.bytes) || now.files < limits.keptFiles(atStart.files))
        return true;
    }
    return false;
  };

  const find = async (): Promise<Excess | undefined> => {
    const { processes, bytes } = await treeUsage(pid, limits);
    if (processes > limits.processes) return 'processes';
    if (bytes > limits.bytes) return 'memory';
    return (await isDiskLow()) ? 'disk' : undefined;
  };

  const look = async () => {
    const found = await find();
    if (found !== undefined && !isOver) exceeded(found);
  };

  const stop = clock.every(everyMs, () => {
    if (isLooking) return;
    isLooking = true;
    void look().finally(() => (isLooking = false));
  });
  return () => {
    isOver = true;
    stop();
  };
};
