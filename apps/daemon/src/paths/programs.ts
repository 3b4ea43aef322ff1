import { delimiter, isAbsolute, join } from 'node:path';
import { isExecutable, realPathOf } from '../program/quiet-files.ts';
import { isWithin } from './protected.ts';

/** PATH without folders that a command could fill: relative ones, and those in the root. */
export const safePath = (path: string, root: string): string =>
  path
    .split(delimiter)
    .filter((folder) => {
      if (!isAbsolute(folder) || isWithin(folder, root)) return false;
      const real = realPathOf(folder);
      return real !== undefined && !isWithin(real, root);
    })
    .join(delimiter);

export const findProgram = (name: string, path: string): string | undefined =>
  path
    .split(delimiter)
    .filter((folder) => isAbsolute(folder))
    .map((folder) => join(folder, name))
    .find(isExecutable);
