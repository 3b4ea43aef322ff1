import { constants } from 'node:fs';
import { copyFile, link, open, readFile, readdir, rename, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { encodeHead, encodeRecord, headBytes, type JournalRecord } from './record.ts';
import { hasCode } from '@drawbridge/kit';
import { syncFolder } from '../private-files/private-folder.ts';

const pageName = 'journal';
const newName = 'journal.new';
const brokenPattern = /^journal\.broken-\d+$/;
const maxBrokenPages = 3;

const noFollow = constants.O_NOFOLLOW ?? 0;

/** A disk that fills up takes a part of what it is given, and refuses only then. */
const writeAll = async (handle: FileHandle, bytes: Buffer, position: number): Promise<void> => {
  for (let done = 0; done < bytes.length;) {
    done += (await handle.write(bytes, done, bytes.length - done, position + done)).bytesWritten;
  }
};

/** The open page of a journal. After an error it is not used again: what is on disk is uncertain then. */
const pageOf = (handle: FileHandle, firstLength: number) => {
  let length = firstLength;
  return {
    appended: () => length - firstLength,
    append: async (lines: string, until: 'written' | 'synced') => {
      const bytes = Buffer.from(lines);
      await writeAll(handle, bytes, length);
      length += bytes.length;
      if (until === 'written') return;
      await handle.datasync();
      // Not synced itself: it may lag behind what is on disk, and never runs ahead of it.
      await writeAll(handle, Buffer.from(encodeHead(length)), 0);
    },
    close: () => handle.close(),
  };
};

export type Page = ReturnType<typeof pageOf>;

export const writePage = async (folder: string, records: readonly JournalRecord[]): Promise<Page> => {
  const lines = records.map(encodeRecord).join('');
  const length = headBytes + Buffer.byteLength(lines);
  const path = join(folder, newName);
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | noFollow;
  const handle = await open(path, flags, 0o600);
  try {
    await handle.writeFile(encodeHead(length) + lines);
    await handle.sync();
    await rename(path, join(folder, pageName));
    await syncFolder(folder);
  } catch (error) {
    await handle.close();
    throw error;
  }
  return pageOf(handle, length);
};

export const loadPage = async (folder: string): Promise<Buffer | null> => {
  try {
    return await readFile(join(folder, pageName));
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  }
};

/** Links the page under another name, which is returned, and removes the oldest of such pages. */
export const setAside = async (folder: string, nowMs: number): Promise<string> => {
  const kept = (await readdir(folder)).filter((name) => brokenPattern.test(name)).toSorted();
  for (const name of kept.slice(0, Math.max(0, kept.length - maxBrokenPages + 1)))
    await rm(join(folder, name));
  const [page, aside] = [join(folder, pageName), join(folder, `journal.broken-${nowMs}`)];
  // A second name costs no space; a disk that has no second names takes a copy.
  await link(page, aside).catch(() => copyFile(page, aside));
  return aside;
};
