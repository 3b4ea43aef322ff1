import { statfs } from 'node:fs/promises';
import { isNewEnough, leastNode } from '../program/node-version.ts';
import { sizeOfCaches } from '../tools/shell/network/caches.ts';
import type { Check } from './check.ts';

export const checkNode = (version: string): Check => {
  if (isNewEnough(version)) return { name: 'node', state: 'ok', says: version };
  return {
    name: 'node',
    state: 'problem',
    says: `${version} is older than ${leastNode.join('.')}`,
    fix: 'Install a newer Node, for example from nodejs.org.',
  };
};

const mebibyte = 1024 * 1024;
export const lowDiskBytes = 256 * mebibyte;
export const fullDiskBytes = 32 * mebibyte;

export const evaluateDisk = (freeBytes: number): Check => {
  const says = `${Math.floor(freeBytes / mebibyte)} MiB free`;
  const fix = 'Free some space: without it nothing can be changed, and results cannot be kept.';
  if (freeBytes < fullDiskBytes) return { name: 'disk', state: 'problem', says, fix };
  if (freeBytes < lowDiskBytes) return { name: 'disk', state: 'warning', says, fix };
  return { name: 'disk', state: 'ok', says };
};

/** Whether commands are limited with all that they start, or each of their processes alone. */
export const checkLimits = (platform: NodeJS.Platform, listsChildren: boolean): Check => {
  const name = 'limits';
  const rest = '256 MiB of each disk stay free';
  if (listsChildren)
    return {
      name,
      state: 'ok',
      says: `commands: 8 GiB of memory and 1,024 processes together, compared each second; ${rest}`,
    };
  return {
    name,
    state: 'warning',
    says: `commands: 8 GiB of memory for each process, no limit for all together; ${rest}`,
    fix:
      platform === 'linux'
        ? 'Use a kernel that lists the children of a process (CONFIG_PROC_CHILDREN), as those of distributions do.'
        : 'Linux has limits for all processes of a command together.',
  };
};

/** What gives a process in the background a terminal, on Linux. */
export const checkTerminal = (platform: NodeJS.Platform, has: (program: string) => boolean): Check => {
  const name = 'terminal';
  if (platform !== 'linux') return { name, state: 'note', says: 'processes have a terminal on Linux only' };
  const missing = ['script', 'stty'].filter((program) => !has(program));
  if (missing.length === 0) return { name, state: 'ok', says: 'script and stty are there' };
  return {
    name,
    state: 'note',
    says: `no ${missing.join(' and no ')}: processes in the background have no terminal`,
    fix: 'Install them (Debian, Ubuntu: apt install bsdutils coreutils; Fedora, Arch: util-linux).',
  };
};

/** The programs that speak to git hosts with the person's login, outside of the sandbox. */
export const checkGit = (has: (program: string) => boolean): Check => {
  const missing = ['git', 'ssh'].filter((program) => !has(program));
  if (missing.length === 0) return { name: 'git login', state: 'ok', says: 'git and ssh are there' };
  return {
    name: 'git login',
    state: 'note',
    says: `no ${missing.join(' and no ')}: commands cannot use your login for repositories that need it`,
    fix: 'Install git and an OpenSSH client.',
  };
};

/** What package tools of commands have downloaded. */
export const checkCaches = async (base: string): Promise<Check> => {
  const bytes = await sizeOfCaches(base);
  const says = `${Math.ceil(bytes / mebibyte)} MiB downloaded by package tools of commands`;
  return { name: 'cache', state: 'ok', says };
};

export const checkDisk = async (folder: string): Promise<Check> => {
  const { bavail, bsize } = await statfs(folder);
  return evaluateDisk(bavail * bsize);
};
