import { readdirSync } from 'node:fs';
import { hasCode, nextMacrotask, sleep, type Clock } from '@drawbridge/kit';
import { readQuietly } from '../program/quiet-files.ts';

/** Tags all that a command starts through the environment: a process that leaves its group keeps the tag. */
export const tagVariable = 'DRAWBRIDGE_CALL';
/** The same for a sandbox that is being set up, which ends with what runs in it. */
export const startingVariable = 'DRAWBRIDGE_TAG';

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

const isTagged = (pid: string, tag: string, variable: string): boolean =>
  `\0${readQuietly(`/proc/${pid}/environ`, 'latin1') ?? ''}`.includes(`\0${variable}=${tag}\0`);

/** The numbers of all processes but this one, on Linux; after some of them other work has its turn. */
async function* otherProcesses(): AsyncGenerator<string> {
  if (process.platform !== 'linux') return;
  let given = 0;
  // Names alone: to look at an entry throws where its process has ended meanwhile.
  for (const pid of readdirSync('/proc')) {
    if (!/^\d+$/.test(pid) || pid === String(process.pid)) continue;
    yield pid;
    given += 1;
    if (given % readAtOnce === 0) await nextMacrotask();
  }
}

/** Sends it to every process with that tag; gives whether there was one. Linux; nothing elsewhere. */
export const sendToTagged = async (
  tag: string,
  signal: NodeJS.Signals | 0,
  variable = tagVariable,
): Promise<boolean> => {
  let isSent = false;
  for await (const pid of otherProcesses()) {
    if (isTagged(pid, tag, variable) && send(Number(pid), signal)) isSent = true;
  }
  return isSent;
};

const sendToAll = async ({ tag, group, holder }: Tree, signal: NodeJS.Signals): Promise<void> => {
  if (group !== undefined) send(-group, signal);
  if (holder !== undefined && signal !== 'SIGTERM') send(-holder, signal);
  await sendToTagged(tag, signal);
};

/** The group of a process that runs: one that has ended is listed until its parent asks how it ended. */
const runningGroupOf = (pid: string): number | undefined => {
  const stat = readQuietly(`/proc/${pid}/stat`, 'latin1');
  if (stat === undefined) return undefined;
  // After the name, which may contain anything: state, parent, group.
  const [state, , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return state === 'Z' || state === 'X' ? undefined : Number(group);
};

const isGroupRunning = async (group: number | undefined): Promise<boolean> => {
  if (group === undefined || !send(-group, 0)) return false;
  if (process.platform !== 'linux') return true;
  for await (const pid of otherProcesses()) if (runningGroupOf(pid) === group) return true;
  return false;
};

const isLeft = async ({ tag, group, holder }: Tree): Promise<boolean> =>
  (await sendToTagged(tag, 0)) || (await isGroupRunning(group)) || (await isGroupRunning(holder));

/** Ends a process tree: TERM at once, then KILL after 2 s. Resolves when nothing is left, or after KILL. */
export const endTree = async (tree: Tree, clock: Clock): Promise<void> => {
  await sendToAll(tree, 'SIGTERM');
  for (let waitedMs = 0; await isLeft(tree); waitedMs += checkEveryMs) {
    if (waitedMs >= graceMs) return void (await sendToAll(tree, 'SIGKILL'));
    await sleep(clock, checkEveryMs);
  }
};

/** Ends what a daemon has left that was killed, also a sandbox that never began. */
export const endLeftTree = async (tag: string, clock: Clock): Promise<void> => {
  await endTree({ tag }, clock);
  await sendToTagged(tag, 'SIGKILL', startingVariable);
};

const checkEndEveryMs = 5;

/**
 * Waits at most 2 s for the end of the first process of a pid namespace; gives whether it has ended. The
 * kernel ends all others of the namespace before it. False where it is not Linux, and for no process.
 */
export const hasNamespaceEnded = async (first: number, clock: Clock): Promise<boolean> => {
  if (!(first > 1) || process.platform !== 'linux') return false;
  for (let waitedMs = 0; runningGroupOf(String(first)) !== undefined; waitedMs += checkEndEveryMs) {
    if (waitedMs >= graceMs) return false;
    await sleep(clock, checkEndEveryMs);
  }
  return true;
};
