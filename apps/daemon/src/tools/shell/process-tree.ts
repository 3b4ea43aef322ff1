import { readdirSync, readFileSync } from 'node:fs';
import type { Clock } from '@drawbridge/kit';

/** Names the call in the environment of all that it starts: who leaves the process group still carries it. */
export const markVariable = 'DRAWBRIDGE_CALL';

const graceMs = 2_000;
const lookAgainMs = 50;

const readQuietly = (path: string): string => {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
};

/** Processes that carry the mark, where the system tells (Linux). */
const marked = (mark: string): number[] => {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => `\0${readQuietly(`/proc/${pid}/environ`)}`.includes(`\0${markVariable}=${mark}\0`))
    .map(Number)
    .filter((pid) => pid !== process.pid);
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

const sendToAll = (tree: Tree, signal: NodeJS.Signals | 0): boolean =>
  [...(tree.group === null ? [] : [-tree.group]), ...marked(tree.mark)]
    .map((pid) => send(pid, signal))
    .includes(true);

export interface Tree {
  /** Null where only the mark is known. */
  group: number | null;
  mark: string;
}

/** Ends a process group and all that left it: TERM, and KILL after 2 s for what is still there. Calls `ended` when nothing is, or after KILL. */
export const endTree = (tree: Tree, clock: Clock, ended: () => void): void => {
  if (!sendToAll(tree, 'SIGTERM')) return ended();
  let waitedMs = 0;
  const stop = clock.every(lookAgainMs, () => {
    waitedMs += lookAgainMs;
    const isLeft = sendToAll(tree, 0);
    if (isLeft && waitedMs < graceMs) return;
    if (isLeft) sendToAll(tree, 'SIGKILL');
    stop();
    ended();
  });
};
