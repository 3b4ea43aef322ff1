import { readdirSync } from 'node:fs';
import { hasCode, sleep, type Clock } from '@drawbridge/kit';
import { readQuietly } from '../program/quiet-files.ts';

/** Tags all that a command starts through the environment: a process that leaves its group keeps the tag. */
export const tagVariable = 'DRAWBRIDGE_CALL';

const graceMs = 2_000;
const checkEveryMs = 50;

/** Processes that carry the tag; only Linux shows it. */
const tagged = (tag: string): number[] => {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) =>
      `\0${readQuietly(`/proc/${pid}/environ`, 'latin1') ?? ''}`.includes(`\0${tagVariable}=${tag}\0`),
    )
    .map(Number)
    .filter((pid) => pid !== process.pid);
};

/** Whether a process of that number runs, also one of another user. */
export const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return hasCode(error, 'EPERM');
  }
};

/** Signal 0 only asks whether it is there. */
const send = (pid: number, signal: NodeJS.Signals | 0): boolean => {
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

const targets = ({ tag, group, holder }: Tree, signal: NodeJS.Signals | 0): number[] => [
  ...(group === undefined ? [] : [-group]),
  ...(holder === undefined || signal === 'SIGTERM' ? [] : [-holder]),
  ...tagged(tag),
];

const sendToAll = (tree: Tree, signal: NodeJS.Signals | 0): boolean =>
  targets(tree, signal)
    .map((pid) => send(pid, signal))
    .includes(true);

/** Ends a process tree: TERM at once, then KILL after 2 s. Resolves when nothing is left, or after KILL. */
export const endTree = async (tree: Tree, clock: Clock): Promise<void> => {
  sendToAll(tree, 'SIGTERM');
  for (let waitedMs = 0; sendToAll(tree, 0); waitedMs += checkEveryMs) {
    if (waitedMs >= graceMs) return void sendToAll(tree, 'SIGKILL');
    await sleep(clock, checkEveryMs);
  }
};
