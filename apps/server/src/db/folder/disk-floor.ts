import { statfsSync } from 'node:fs';
import type { Clock } from '@drawbridge/kit';

interface DiskFloorNeeds {
  clock: Clock;
  /** The folder of the store. */
  folder: string;
  /** Below this the disk counts as almost full; 0: never. */
  leastBytes: number;
}

/** What the system says of the disk is asked for this often at most. */
const lookEveryMs = 1_000;

/** Whether the disk of the store has less free space than it needs; false where the system does not say. */
export const createDiskFloor = ({ clock, folder, leastBytes }: DiskFloorNeeds): (() => boolean) => {
  let lookedAt: number | null = null;
  let isLow = false;
  const look = () => {
    try {
      const { bavail, bsize } = statfsSync(folder);
      return bavail * bsize < leastBytes;
    } catch {
      return false;
    }
  };
  return () => {
    if (leastBytes === 0) return false;
    const now = clock.now();
    if (lookedAt === null || Math.abs(now - lookedAt) >= lookEveryMs) {
      isLow = look();
      lookedAt = now;
    }
    return isLow;
  };
};
