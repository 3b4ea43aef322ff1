import { readdirSync } from 'node:fs';
import { hasCode, nextMacrotask, sleep, type Clock } from '@drawbridge/kit';
import { readQuietly } from '../program/quiet-files.ts';

/** Tags all that a command starts through the environment: a process that leaves its group keeps the tag. */
export const tagVariable = 'DRAWBRIDGE_CALL';

const graceMs = 2_000;
const checkEveryMs = 50;
/** Processes whose environments are read in one step, which takes less than a millisecond. */
const readAtOnce = 32;

/** Whether a process of that number runs, also one of another user. */
export const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return hasCode(error, 'EPERM');
  }
};

/** Signal 0 only asks whether it is there. */
export const send = (pid: number, signal: NodeJS.Signals | 0): boolean => {
  try {
    return process.kill(pid, signal);
  } catch {
    // Gone already.
    return false;
  }
};

export interface Tree {
  tag: string;
  /** A process group that gets each signal. */
  group?: number;
  /** A process group that the others end with: it gets the last signal only. */
  holder?: number;
}

const isTagged = (pid: string, tag: string): boolean =>
  `\0${readQuietly(`/proc/${pid}/environ`, 'latin1') ?? ''}`.includes(`\0${tagVariable}=${tag}\0`);

/** To all processes with the tag, which only Linux shows; after some of them other work has its turn. */
const sendToTagged = async (tag: string, signal: NodeJS.Signals | 0): Promise<boolean> => {
  if (process.platform !== 'linux') return false;
  let isSent = false;
  let read = 0;
  // Names alone: to look at an entry throws where its process has ended meanwhile.
  for (const pid of readdirSync('/proc')) {
    if (!/^\d+$/.test(pid) || pid === String(process.pid)) continue;
    if (isTagged(pid, tag) && send(Number(pid), signal)) isSent = true;
    read += 1;
    if (read % readAtOnce === 0) await nextMacrotask();
  }
  return isSent;
};

const sendToAll = async ({ tag, group, holder }: Tree, signal: NodeJS.Signals | 0): Promise<boolean> => {
  const isOfGroup = group !== undefined && send(-group, signal);
  const isOfHolder = holder !== undefined && signal !== 'SIGTERM' && send(-holder, signal);
  return (await sendToTagged(tag, signal)) || isOfGroup || isOfHolder;
};

/** Ends a process tree: TERM at once, then KILL after 2 s. Resolves when nothing is left, or after KILL. */
export const endTree = async (tree: Tree, clock: Clock): Promise<void> => {
  await sendToAll(tree, 'SIGTERM');
  for (let waitedMs = 0; await sendToAll(tree, 0); waitedMs += checkEveryMs) {
    if (waitedMs >= graceMs) return void (await sendToAll(tree, 'SIGKILL'));
    await sleep(clock, checkEveryMs);
  }
};
