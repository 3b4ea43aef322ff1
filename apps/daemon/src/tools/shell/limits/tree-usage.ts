import { existsSync, readdirSync } from 'node:fs';
import { nextMacrotask } from '@drawbridge/kit';
import { readQuietly } from '../../../program/quiet-files.ts';

export interface TreeUsage {
  processes: number;
  /** Of memory that is not a file's; what processes share after a fork is counted once. */
  bytes: number;
}

/** Whether this system tells what a process has started. */
export const listsChildren = (): boolean => existsSync(`/proc/${process.pid}/task/${process.pid}/children`);

/** Processes that are looked at in one step, which takes some milliseconds. */
const readAtOnce = 32;

const tasksOf = (pid: number): string[] => {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    // It has ended.
    return [];
  }
};

/** What all threads of a process have started, and what still runs of it. Linux. */
export const childrenOf = (pid: number): number[] =>
  tasksOf(pid).flatMap((task) =>
    (readQuietly(`/proc/${pid}/task/${task}/children`, 'latin1') ?? '')
      .split(' ')
      .filter(Boolean)
      .map(Number),
  );

const kibibytesIn = (text: string, name: string): number =>
  Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0);

const ownBytes = (pid: number): number => {
  const status = readQuietly(`/proc/${pid}/status`, 'latin1') ?? '';
  return (kibibytesIn(status, 'RssAnon') + kibibytesIn(status, 'RssShmem')) * 1_024;
};

/** Takes longer: the kernel walks all pages. */
const shareBytes = (pid: number): number => {
  const rollup = readQuietly(`/proc/${pid}/smaps_rollup`, 'latin1') ?? '';
  return (kibibytesIn(rollup, 'Pss_Anon') + kibibytesIn(rollup, 'Pss_Shmem')) * 1_024;
};

/** A process with all that it started, up to one more than `most`; other work runs between the steps. */
export const treeUsage = async (
  pid: number,
  most: { processes: number; bytes: number },
): Promise<TreeUsage> => {
  const all = [pid];
  let bytes = 0;
  for (let at = 0; at < all.length && all.length <= most.processes; at += 1) {
    const one = all[at] ?? 0;
    all.push(...childrenOf(one));
    bytes += ownBytes(one);
    if (at % readAtOnce === readAtOnce - 1) await nextMacrotask();
  }
  if (bytes <= most.bytes) return { processes: all.length, bytes };
  let shared = 0;
  for (const one of all) {
    shared += shareBytes(one);
    await nextMacrotask();
  }
  return { processes: all.length, bytes: shared };
};
