import { fstatSync, lstatSync, opendirSync, readdirSync, type Dirent } from 'node:fs';
import { nextMacrotask } from '@drawbridge/kit';
import type { ToolContext } from '../common/tool.ts';
import { showsIn } from '../common/access.ts';
import type { Folder } from '../../paths/open.ts';
import { lookInside } from './look-inside.ts';

const noThrow = { throwIfNoEntry: false };

export interface Entry {
  name: string;
  type: 'directory' | 'file' | 'link';
}

const order = { directory: 0, link: 1, file: 1 } as const;
const compare = (a: Entry, b: Entry) => order[a.type] - order[b.type] || (a.name < b.name ? -1 : 1);

const typeOf = (entry: Dirent): Entry['type'] | undefined => {
  if (entry.isDirectory()) return 'directory';
  if (entry.isFile()) return 'file';
  return entry.isSymbolicLink() ? 'link' : undefined;
};

interface Wanted {
  limit: number;
  type?: Entry['type'] | undefined;
}

/** Read together; between two readings other calls go on. */
const readTogether = 256;
/** A folder of this size has at most some thousand entries: read at once, in a third of the time. */
const smallFolderBytes = 64 * 1024;
/** Sorted together, beside as many as are given. */
const sortTogether = 10_000;

const openReader = (folder: Folder): { read(): Dirent | null; close(): void } => {
  if (fstatSync(folder.fd).size <= smallFolderBytes) {
    const found = readdirSync(folder.entry('.'), { withFileTypes: true }).values();
    return { read: () => found.next().value ?? null, close: () => {} };
  }
  const open = opendirSync(folder.entry('.'), { bufferSize: readTogether });
  return { read: () => open.readSync(), close: () => open.closeSync() };
};

/** Lists an open folder, folders first: the first entries, and how many there are. Yields to other calls. */
export const listEntries = async (
  context: ToolContext,
  folder: Folder,
  { limit, type }: Wanted,
): Promise<{ entries: Entry[]; total: number }> => {
  const shows = showsIn(context, folder.path);
  let entries: Entry[] = [];
  let total = 0;
  const reader = openReader(folder);
  try {
    for (let entry = reader.read(), count = 1; entry !== null; entry = reader.read(), count += 1) {
      if (count % readTogether === 0) await nextMacrotask();
      const entryType = typeOf(entry);
      if (entryType === undefined || (type !== undefined && entryType !== type) || !shows(entry.name))
        continue;
      total += 1;
      entries.push({ name: entry.name, type: entryType });
      if (entries.length < limit + sortTogether) continue;
      context.signal.throwIfAborted();
      entries = entries.sort(compare).slice(0, limit);
    }
  } finally {
    reader.close();
  }
  return { entries: entries.sort(compare).slice(0, limit), total };
};

/** The size in bytes of each listed file; undefined for one that has just gone. */
export const sizesIn = (folder: Folder, entries: readonly Entry[]): (number | undefined)[] =>
  lookInside(folder, (pathOf) =>
    entries.map(({ name, type }) => (type === 'file' ? lstatSync(pathOf(name), noThrow)?.size : undefined)),
  );
