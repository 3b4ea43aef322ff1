import { readdirSync } from 'node:fs';
import { readQuietly } from '../../program/quiet-files.ts';

const closesOnExec = 0o2000000;

/** False for the one through which the list was read: it is closed by now. */
const staysOpen = (fd: number): boolean => {
  const flags = /^flags:\s*([0-7]+)$/m.exec(readQuietly(`/proc/self/fdinfo/${fd}`) ?? '')?.[1];
  return flags !== undefined && (Number.parseInt(flags, 8) & closesOnExec) === 0;
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
