import { isWithin } from '../../../../paths/protected.ts';
import { wayOf } from './links.ts';
import { isOfSystem } from './system.ts';
import { isTooWide } from './visible-places.ts';

interface Known {
  home: string;
  /** The folder of the daemon, and folders and files of servers. */
  closed: readonly string[];
}

const kernelFolders = ['/proc', '/sys', '/dev'];

/** Why a path is not added to what commands read, as the end of a sentence; null where it may be. */
export const whyNotReadable = (path: string, { home, closed }: Known): string | null => {
  const way = wayOf(path, path);
  if (way === undefined) return 'does not exist';
  const { real } = way;
  const realHome = wayOf(home, home)?.real ?? home;
  if (isTooWide(real, realHome)) return 'holds too much: the home folder, other people or the whole system';
  if (kernelFolders.some((folder) => isWithin(real, folder))) return 'belongs to the kernel';
  if (closed.some((folder) => isWithin(real, folder)))
    return 'holds the keys of Drawbridge, which no command may read';
  return isOfSystem(real) ? 'can be read already' : null;
};
