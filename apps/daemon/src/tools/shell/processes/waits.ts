import { readlinkSync } from 'node:fs';
import { readQuietly } from '../../../program/quiet-files.ts';
import { childrenOf } from '../limits/tree-usage.ts';

/** The number of the system call `read`, by processor. */
const readCalls: Partial<Record<NodeJS.Architecture, string>> = { x64: '0', arm64: '63' };

const maxProcesses = 200;

/** All below a process, the nearest first. */
const treeOf = (first: number): number[] => {
  const all = [first];
  for (let at = 0; at < all.length && all.length < maxProcesses; at += 1)
    all.push(...childrenOf(all[at] ?? 0));
  return all;
};

const linkOf = (path: string): string | undefined => {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
};

/** Whether it is blocked in `read` of its standard input, which is the one that the daemon writes to. */
const readsInput = (pid: number, input: string): boolean => {
  const [call, file] = (readQuietly(`/proc/${pid}/syscall`) ?? '').split(' ');
  if (call === undefined || call !== readCalls[process.arch] || file === undefined) return false;
  return linkOf(`/proc/${pid}/fd/${Number(file)}`) === input;
};

const passwordPrompt = /(assword|assphrase)[^\n]{0,200}:\s*$/i;

export type Waits = 'input' | 'password';

/**
 * `input`: one of its programs is blocked in reading standard input; `password`: and the last line asks for
 * one. Linux; undefined where it cannot be known.
 */
export const findWait = (innermost: number, lastLine: string): Waits | undefined => {
  if (process.platform !== 'linux' || !Number.isInteger(innermost) || innermost <= 1) return undefined;
  const input = linkOf(`/proc/${innermost}/fd/0`);
  if (input === undefined || !treeOf(innermost).some((pid) => readsInput(pid, input))) return undefined;
  return passwordPrompt.test(lastLine) ? 'password' : 'input';
};
