import { constants } from 'node:fs';
import { chmod, open, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { hasCode } from '../has-code.ts';

/** Linux: a descriptor of what stands there, also without the right to read it. */
const pathOnly = 0o10000000;
const folderFlags = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0);
const hasDescriptors = process.platform === 'linux';
const ownerRights = 0o700;

/** An open folder. Its entries are reached through its descriptor, so that no path is too long. */
export interface OpenFolder {
  handle: FileHandle;
  base: string;
  /** The mode that it gets back when it is closed. */
  mode?: number;
}

/** A folder whose owner took rights from itself gets them for good (`open`), or while it is open (`lend`). */
export type Closed = 'refuse' | 'open' | 'lend';

const needed: Record<Closed, number> = { refuse: 0, open: 0o700, lend: 0o500 };

/** The path of an entry; `latin1`: its name, which need not be UTF-8, one byte a character. */
export const entryOf = ({ base }: OpenFolder, latin1: string): Buffer =>
  Buffer.concat([Buffer.from(`${base}/`), Buffer.from(latin1, 'latin1')]);

/** Gives the owner all rights, through a descriptor: no link is followed. Returns the mode before. */
const openToOwner = async (path: Buffer): Promise<number> => {
  const handle = await open(path, folderFlags | (hasDescriptors ? pathOnly : 0));
  try {
    const mode = (await handle.stat()).mode & 0o7777;
    await chmod(hasDescriptors ? `/proc/self/fd/${handle.fd}` : path, mode | ownerRights);
    return mode;
  } finally {
    await handle.close();
  }
};

/** Opens a folder without following a link. Throws what the system says. */
export const openFolderAt = async (path: Buffer, closed: Closed): Promise<OpenFolder> => {
  let mode: number | undefined;
  const handle = await open(path, folderFlags).catch(async (error: unknown) => {
    if (closed === 'refuse' || !hasCode(error, 'EACCES')) throw error;
    mode = await openToOwner(path);
    return open(path, folderFlags);
  });
  if (closed !== 'refuse' && mode === undefined) {
    const now = (await handle.stat()).mode & 0o7777;
    if ((now & needed[closed]) !== needed[closed]) {
      mode = now;
      // Of another owner: what is tried in it says why it fails.
      await handle.chmod(now | ownerRights).catch(() => undefined);
    }
  }
  const base = hasDescriptors ? `/proc/self/fd/${handle.fd}` : path.toString();
  return { handle, base, ...(closed === 'lend' && mode !== undefined && { mode }) };
};

export const closeFolder = async ({ handle, mode }: OpenFolder): Promise<void> => {
  if (mode !== undefined) await handle.chmod(mode).catch(() => undefined);
  await handle.close();
};

/** The folder above an open one. */
export const openAbove = ({ base }: OpenFolder, closed: Closed): Promise<OpenFolder> =>
  openFolderAt(Buffer.from(hasDescriptors ? `${base}/..` : dirname(base)), closed);
