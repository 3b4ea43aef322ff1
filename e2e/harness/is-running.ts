import { readdirSync, readFileSync } from 'node:fs';

/** Whether a process of this machine has these words in its command line. */
export const isRunning = (words: string): boolean =>
  readdirSync('/proc').some((pid) => {
    try {
      return (
        /^\d+$/.test(pid) &&
        readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').includes(words)
      );
    } catch {
      return false;
    }
  });
