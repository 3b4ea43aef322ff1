import { realpathSync } from 'node:fs';
import { resolve, sep } from 'node:path';

const leadsTo = (path: string): string => {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
};

/** Whether a folder, wherever it leads, lies in another one or is it. `root` is a real path. */
export const isWithin = (folder: string, root: string): boolean =>
  [resolve(folder), leadsTo(folder)].some(
    (path) => path === root || path.startsWith(root.endsWith(sep) ? root : root + sep),
  );
