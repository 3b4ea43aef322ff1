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

const terminalFile = /^\/dev\/(pts\/\d+|tty)$/;

/** Whether it is blocked in `read` of what the daemon writes to. */
const readsInput = (pid: number, isInput: (file: string | undefined) => boolean): boolean => {
  const [call, file] = (readQuietly(`/proc/${pid}/syscall`) ?? '').split(' ');
  if (call === undefined || call !== readCalls[process.arch] || file === undefined) return false;
  return isInput(linkOf(`/proc/${pid}/fd/${Number(file)}`));
};

const passwordPrompt = /(assword|assphrase)[^\n]{0,200}:\s*$/i;

export type Waits = 'input' | 'password';

/**
 * `input`: one of its programs is blocked in reading standard input or the terminal; `password`: and the last
 * line asks for one; in a terminal programs wait in other ways too. Linux; undefined where it is not known.
 */
export const findWait = (
  innermost: number,
  lastLine: string,
  { inTerminal }: { inTerminal: boolean },
): Waits | undefined => {
  if (process.platform !== 'linux' || !Number.isInteger(innermost) || innermost <= 1) return undefined;
  const input = linkOf(`/proc/${innermost}/fd/0`);
  const isInput = (file: string | undefined) =>
    file !== undefined && (inTerminal ? terminalFile.test(file) : file === input);
  const asks = passwordPrompt.test(lastLine);
  if (inTerminal && asks) return 'password';
  if (!treeOf(innermost).some((pid) => readsInput(pid, isInput))) return undefined;
  return asks ? 'password' : 'input';
};
