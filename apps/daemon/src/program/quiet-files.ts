import { accessSync, constants, readFileSync, realpathSync } from 'node:fs';

/** The text of a file; undefined for one that is not there or cannot be read. */
export const readQuietly = (path: string | URL, encoding: 'utf8' | 'latin1' = 'utf8'): string | undefined => {
  try {
    return readFileSync(path, encoding);
  } catch {
    return undefined;
  }
};

/** The path without links; undefined for one that leads nowhere, or cannot be looked up. */
export const realPathOf = (path: string): string | undefined => {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
};

/** Whether this process may do that with what stands there. */
export const isAccessible = (path: string, mode: number): boolean => {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
};

export const isExecutable = (path: string): boolean => isAccessible(path, constants.X_OK);
