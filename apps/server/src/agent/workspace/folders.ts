import { createHash } from 'node:crypto';
import { lstat, mkdir, opendir, readdir, rename, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from '@drawbridge/kit';
import { entryOf, removeTree, walkTree } from '@drawbridge/kit/node';
import type { WorkspaceLimits } from './limits.ts';

export interface ThreadOfUser {
  userId: string;
  threadId: string;
}

/** Ids are texts of others: a folder is named by their hash. */
const nameOf = (id: string): string => createHash('sha256').update(id).digest('hex').slice(0, 32);

/** Ends a measurement that has found enough. */
const full = new Error('full');

/** Throws `full` for a folder with more than the limits. A closed folder is opened while it is read. */
const measure = (folder: string, { folderBytes, folderEntries }: WorkspaceLimits): Promise<void> => {
  const total = { bytes: 0, entries: 0 };
  return walkTree(folder, {
    closed: 'lend',
    visit: async (inner) => {
      const folders: string[] = [];
      for await (const entry of await opendir(inner.base, { encoding: 'latin1' })) {
        total.entries += 1;
        // What has just gone takes no space.
        total.bytes += ((await lstat(entryOf(inner, entry.name)).catch(() => null))?.blocks ?? 0) * 512;
        if (total.bytes > folderBytes || total.entries > folderEntries) throw full;
        if (entry.isDirectory()) folders.push(entry.name);
      }
      return folders;
    },
  });
};

/** For a folder that is not there. */
const nothing = (error: unknown): string[] => {
  if (hasCode(error, 'ENOENT')) return [];
  throw error;
};

export const clear = (folder: string): Promise<unknown> => removeTree(folder).catch(nothing);

/** The folders of workspaces, each below the folder of its user. */
export const createFolders = (base: string, limits: WorkspaceLimits) => {
  const ofUser = (userId: string) => join(base, nameOf(userId));
  const of = ({ userId, threadId }: ThreadOfUser) => join(ofUser(userId), nameOf(threadId));
  return {
    /** Makes it where it is missing; null for a user with too many. */
    open: async (thread: ThreadOfUser): Promise<string | null> => {
      const own = await readdir(ofUser(thread.userId)).catch(nothing);
      const isNew = !own.includes(nameOf(thread.threadId));
      if (isNew && own.length >= limits.foldersOfUser) return null;
      await mkdir(of(thread), { recursive: true, mode: 0o700 });
      return of(thread);
    },
    /** Why nothing may be added to it, in a sentence; null when it has room. */
    excess: async (folder: string): Promise<string | null> => {
      const { bavail, bsize } = await statfs(folder);
      if (bavail * bsize < limits.freeDiskBytes) return 'The disk of the server is nearly full.';
      const problem = await measure(folder, limits).then(
        () => null,
        (error: unknown) => error,
      );
      if (problem === null || hasCode(problem, 'ENOENT')) return null;
      if (problem !== full) return 'The workspace cannot be measured: its folders move. Try again.';
      const mebibytes = limits.folderBytes / 1024 / 1024;
      return `The workspace holds more than ${mebibytes} MiB or ${limits.folderEntries} files. Delete files first.`;
    },
    /** Where the snapshots of a workspace are: beside the folders of users. */
    snapshots: (thread: ThreadOfUser): string =>
      join(base, '.snapshots', nameOf(thread.userId), nameOf(thread.threadId)),
    /** Puts another folder of the same disk in its place. */
    replace: async (thread: ThreadOfUser, by: string): Promise<void> => {
      await clear(of(thread));
      await rename(by, of(thread));
    },
    /** With its snapshots; each is tried where the other fails. */
    remove: async (thread: ThreadOfUser): Promise<void> => {
      const kept = join(base, '.snapshots', nameOf(thread.userId), nameOf(thread.threadId));
      const removals = await Promise.allSettled([clear(of(thread)), clear(kept)]);
      for (const removal of removals) if (removal.status === 'rejected') throw removal.reason;
    },
  };
};
