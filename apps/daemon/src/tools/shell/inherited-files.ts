import { readFileSync, readdirSync } from 'node:fs';

const closesOnExec = 0o2000000;

const staysOpen = (fd: number): boolean => {
  try {
    const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8'))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & closesOnExec) === 0;
  } catch {
    // The one through which the list was read.
    return false;
  }
};

/**
 * Open files that this process inherited and would pass on: an open folder among them would lead out of
 * the sandbox. Linux; empty elsewhere.
 */
export const inheritedFiles = (): number[] =>
  process.platform === 'linux'
    ? readdirSync('/proc/self/fdinfo')
        .map(Number)
        .filter((fd) => fd > 2 && staysOpen(fd))
    : [];
