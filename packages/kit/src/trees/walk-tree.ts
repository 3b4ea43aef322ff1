import { CodedError } from '../coded-error.ts';
import { hasCode } from '../has-code.ts';
import {
  closeFolder,
  entryOf,
  openAbove,
  openFolderAt,
  type Closed,
  type OpenFolder,
} from './open-folder.ts';

/** Folders above the present one that stay open; those further up are found again through `..`. */
const heldOpen = 32;

/** Names are one byte a character (`latin1`). */
export interface TreeVisit {
  closed: Closed;
  signal?: AbortSignal | undefined;
  /** Called in each folder: returns the names of folders in it that are to be visited. */
  visit(folder: OpenFolder, name: string): Promise<string[]>;
  /** Called after a folder and all below it. */
  left?(path: Buffer): Promise<void>;
}

interface Level {
  name: string;
  folder: OpenFolder | undefined;
  identity: string;
  ahead: string[];
}

const identityOf = async ({ handle }: OpenFolder): Promise<string> => {
  const { dev, ino } = await handle.stat({ bigint: true });
  return `${dev} ${ino}`;
};

const enter = async ({ closed, visit }: TreeVisit, path: Buffer, name: string): Promise<Level> => {
  const folder = await openFolderAt(path, closed);
  try {
    return { name, folder, identity: await identityOf(folder), ahead: await visit(folder, name) };
  } catch (error) {
    await closeFolder(folder);
    throw error;
  }
};

const reopen = async (level: Level, below: OpenFolder, closed: Closed): Promise<OpenFolder> => {
  const folder = await openAbove(below, closed);
  if ((await identityOf(folder)) === level.identity) return folder;
  await closeFolder(folder);
  throw new CodedError('CHANGED', 'A folder was moved in the meantime; try again');
};

/**
 * Visits a folder and every folder below it, whatever their depth and mode; follows no link. What has gone
 * meanwhile is left out. Throws `CHANGED`, what the system says, and the reason of the signal.
 */
export const walkTree = async (top: string, given: TreeVisit): Promise<void> => {
  const { closed, signal, left } = given;
  const levels: Level[] = [await enter(given, Buffer.from(top), top)];
  try {
    for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
      signal?.throwIfAborted();
      const folder = level.folder;
      if (folder === undefined) throw new Error('the present folder is open');
      const next = level.ahead.pop();
      if (next !== undefined) {
        const inner = await enter(given, entryOf(folder, next), next).catch((error: unknown) => {
          if (hasCode(error, 'ENOENT')) return undefined;
          throw error;
        });
        if (inner === undefined) continue;
        levels.push(inner);
        const far = levels.at(-1 - heldOpen);
        if (far?.folder !== undefined) {
          await closeFolder(far.folder);
          far.folder = undefined;
        }
        continue;
      }
      levels.pop();
      const above = levels.at(-1);
      if (above !== undefined) above.folder ??= await reopen(above, folder, closed);
      await closeFolder(folder);
      if (above?.folder === undefined) await left?.(Buffer.from(top));
      else await left?.(entryOf(above.folder, level.name));
    }
  } finally {
    for (const { folder } of levels) if (folder !== undefined) await closeFolder(folder);
  }
};
