import { constants, openSync } from 'node:fs';
import { descriptors, type Folder } from './open.ts';

/** Where this process stands, held open: the way back, whatever becomes of the name. */
const openHome = (): string | undefined => {
  if (descriptors === undefined) return undefined;
  try {
    return `${descriptors}/${openSync('.', constants.O_RDONLY | constants.O_DIRECTORY)}`;
  } catch {
    return undefined;
  }
};
let home: string | undefined;

/**
 * Looks at the entries of an open folder: `pathOf` is the path of one, for calls that do not follow a last link. On Linux the
 * process stands in the folder meanwhile, so that a name alone reaches its entry: a way through the descriptor for each takes
 * twice the time. What `look` does is over when it returns, so nothing else of this process ever stands there.
 */
export const lookInside = <T>(folder: Folder, look: (pathOf: (name: string) => string) => T): T => {
  home ??= openHome();
  if (home === undefined) return look(folder.entry);
  process.chdir(folder.entry('.'));
  try {
    return look((name) => name);
  } finally {
    process.chdir(home);
  }
};
