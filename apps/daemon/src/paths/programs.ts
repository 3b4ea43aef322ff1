import { accessSync, constants, realpathSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { isWithin } from './protected.ts';

/** PATH without folders that a command could fill: relative ones, and those in the root. */
export const safePath = (path: string, root: string): string =>
  path
    .split(delimiter)
    .filter((folder) => {
      if (!isAbsolute(folder) || isWithin(folder, root)) return false;
      try {
        return !isWithin(realpathSync(folder), root);
      } catch {
        return false;
      }
    })
    .join(delimiter);

export const findProgram = (name: string, path: string): string | undefined =>
  path
    .split(delimiter)
    .filter((folder) => isAbsolute(folder))
    .map((folder) => join(folder, name))
    .find((file) => {
      try {
        accessSync(file, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
