import { createHash } from 'node:crypto';
import { chmod, lstat, mkdir, opendir, readdir, rename, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from '@drawbridge/kit';
import type { WorkspaceLimits } from './limits.ts';

export interface ThreadOfUser {
  userId: string;
  threadId: string;
}

/** Ids are texts of others: a folder is named by their hash. */
const nameOf = (id: string): string => createHash('sha256').update(id).digest('hex').slice(0, 32);

/** Files and folders below a folder; null beyond the limits, or where a folder is closed to reading. */
const entriesBelow = async (
  folder: string,
  { folderBytes, folderEntries }: WorkspaceLimits,
): Promise<{ bytes: number; entries: number } | null> => {
  const left = [folder];
  const total = { bytes: 0, entries: 0 };
  for (let at = left.pop(); at !== undefined; at = left.pop()) {
    for await (const entry of await opendir(at)) {
      const path = join(at, entry.name);
      total.entries += 1;
      // What has just gone takes no space.
      total.bytes += ((await lstat(path).catch(() => null))?.blocks ?? 0) * 512;
      if (total.bytes > folderBytes || total.entries > folderEntries) return null;
      if (entry.isDirectory()) left.push(path);
    }
  }
  return total;
};

/** Opens closed folders, so that they can be removed. Nothing runs in them any more. */
const openFolders = async (folder: string): Promise<void> => {
  await chmod(folder, 0o700);
  for (const entry of await readdir(folder, { withFileTypes: true }))
    if (entry.isDirectory()) await openFolders(join(folder, entry.name));
};

/** For a folder that is not there. */
const nothing = (error: unknown): string[] => {
  if (hasCode(error, 'ENOENT')) return [];
  throw error;
};

const clear = async (folder: string): Promise<void> => {
  await openFolders(folder).catch(nothing);
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
};

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
      const isClosed = (error: unknown) => {
        if (hasCode(error, 'ENOENT')) return { bytes: 0, entries: 0 };
        return null;
      };
      if ((await entriesBelow(folder, limits).catch(isClosed)) !== null) return null;
      const mebibytes = limits.folderBytes / 1024 / 1024;
      return `The workspace holds more than ${mebibytes} MiB or ${limits.folderEntries} files, or a folder that is closed to reading. Delete files first.`;
    },
    /** Where the snapshots of a workspace are: beside the folders of users. */
    snapshots: (thread: ThreadOfUser): string =>
      join(base, '.snapshots', nameOf(thread.userId), nameOf(thread.threadId)),
    /** Puts another folder of the same disk in its place. */
    replace: async (thread: ThreadOfUser, by: string): Promise<void> => {
      await clear(of(thread));
      await rename(by, of(thread));
    },
    /** With its snapshots. */
    remove: async (thread: ThreadOfUser): Promise<void> => {
      await clear(of(thread));
      await clear(join(base, '.snapshots', nameOf(thread.userId), nameOf(thread.threadId)));
    },
  };
};
