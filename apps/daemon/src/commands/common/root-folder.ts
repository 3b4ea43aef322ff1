import { realpath, stat } from 'node:fs/promises';
import { parse, resolve } from 'node:path';
import { errors } from './errors.ts';

export interface RootFolder {
  path: string;
  /** Why it needs a second look: it is the whole disk or the whole home. */
  wide: 'disk' | 'home' | null;
}

export const findRootFolder = async (dir: string, home: string): Promise<RootFolder> => {
  const path = await realpath(resolve(dir)).catch(() => {
    throw errors.badFolder({ message: `There is no folder ${dir}` });
  });
  if (!(await stat(path)).isDirectory()) throw errors.badFolder({ message: `Not a folder: ${dir}` });
  const realHome = await realpath(home).catch(() => home);
  if (path === parse(path).root) return { path, wide: 'disk' };
  return { path, wide: path === realHome || realHome.startsWith(`${path}/`) ? 'home' : null };
};

/** The folder of a session when none is given: the one that was shared last, else the current one. */
export const findSessionFolder = async (
  given: string | null,
  before: string | undefined,
  home: string,
): Promise<RootFolder> => {
  if (given !== null || before === undefined) return findRootFolder(given ?? '.', home);
  return findRootFolder(before, home).catch((cause: unknown) => {
    throw errors.badFolder({
      message: `The folder of this machine is no longer there: ${before}`,
      fix: 'Pass another folder with --dir; --dir . is the current one.',
      cause,
    });
  });
};
