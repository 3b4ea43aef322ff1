import { lstatSync, readdirSync } from 'node:fs';
import type { ToolContext } from '../tool.ts';
import { showsIn } from './access.ts';
import type { Folder } from './open.ts';
import { lookInside } from './standing.ts';

const noThrow = { throwIfNoEntry: false };

export interface Entry {
  name: string;
  type: 'directory' | 'file' | 'link';
}

const order = { directory: 0, link: 1, file: 1 } as const;
const compare = (a: Entry, b: Entry) => order[a.type] - order[b.type] || (a.name < b.name ? -1 : 1);

/** What an open folder holds and the caller may know of, folders first; sockets, pipes and devices are left out. */
export const entriesOf = (context: ToolContext, folder: Folder): Entry[] => {
  const found = readdirSync(folder.entry('.'), { withFileTypes: true });
  const shows = showsIn(context, folder.path);
  const entries: Entry[] = [];
  for (const one of found) {
    if (!shows(one.name)) continue;
    if (one.isDirectory()) entries.push({ name: one.name, type: 'directory' });
    else if (one.isFile()) entries.push({ name: one.name, type: 'file' });
    else if (one.isSymbolicLink()) entries.push({ name: one.name, type: 'link' });
  }
  return entries.sort(compare);
};

/** The size in bytes of each file among these entries of an open folder; undefined for one that has just gone. */
export const sizesIn = (folder: Folder, entries: readonly Entry[]): (number | undefined)[] =>
  lookInside(folder, (pathOf) =>
    entries.map(({ name, type }) => (type === 'file' ? lstatSync(pathOf(name), noThrow)?.size : undefined)),
  );
