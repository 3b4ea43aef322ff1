import { readFileSync, readdirSync } from 'node:fs';

const commandLine = (pid: string): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
};

/** A sleep time that no other process uses: pids differ inside a sandbox. */
export const uniqueSleep = (): string => `1000.${Math.random().toString().slice(2, 12)}`;

/** Whether a program with that last argument runs. */
export const isRunningCommand = (argument: string): boolean =>
  readdirSync('/proc').some((pid) => commandLine(pid).endsWith(`\0${argument}\0`));
