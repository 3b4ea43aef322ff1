import { constants, openSync } from 'node:fs';
import { descriptors, type Folder } from '../../paths/open.ts';

/** The working directory, whatever its name becomes. Undefined where it may not be read. */
const openWorkingDirectory = (): string | undefined => {
  if (descriptors === undefined) return undefined;
  try {
    return `${descriptors}/${openSync('.', constants.O_RDONLY | constants.O_DIRECTORY)}`;
  } catch {
    return undefined;
  }
};
/** Stays open: nothing else changes the working directory. */
let home: string | undefined;

/**
 * Runs with the path of each entry of an open folder. On Linux the process is in it meanwhile: decision 32.
 * Paid by bench/results.md: "our daemon under a bare server, list 100 entries".
 */
export const lookInside = <T>(folder: Folder, look: (pathOf: (name: string) => string) => T): T => {
  home ??= openWorkingDirectory();
  if (home === undefined) return look(folder.entry);
  try {
    process.chdir(folder.entry('.'));
    return look((name) => name);
  } finally {
    process.chdir(home);
  }
};
