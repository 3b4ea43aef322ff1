import { statSync } from 'node:fs';
import { createBoundedMap } from '@drawbridge/kit';

const maxFolders = 2_000;

/** What `look` finds in a folder, kept until its entries change; empty where it cannot look. */
export const untilChanged = (look: (folder: string) => string[]): ((folder: string) => string[]) => {
  const known = createBoundedMap<string, { stamp: string; found: string[] }>({ maxEntries: maxFolders });
  return (folder) => {
    try {
      const { dev, ino, mtimeMs, ctimeMs } = statSync(folder);
      const stamp = `${dev} ${ino} ${mtimeMs} ${ctimeMs}`;
      const before = known.get(folder);
      if (before?.stamp === stamp) return before.found;
      const found = look(folder);
      known.set(folder, { stamp, found });
      return found;
    } catch {
      return [];
    }
  };
};
