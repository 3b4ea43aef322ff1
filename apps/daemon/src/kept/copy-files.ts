import { createHash } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { chunksOf, withRegularFile } from '../paths/read-bytes.ts';
import type { KeptContent } from './change-file.ts';
import type { KeptLimits } from './limits.ts';

/** Part of the change cannot be kept, so nothing of it is. */
class NotKept extends Error {
  override name = 'NotKept';
}

/** The files that a call may write: a resource that ends in a slash is a folder with all below it. */
export const filesOf = async (
  resources: readonly string[],
  { changeFiles }: Pick<KeptLimits, 'changeFiles'>,
): Promise<string[]> => {
  const files: string[] = [];
  const add = async (path: string, isTree: boolean): Promise<void> => {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return;
    if (stats.isFile()) files.push(path);
    else if (!stats.isDirectory()) throw new NotKept('It is a link or no regular file');
    else if (isTree) for (const name of await readdir(path)) await add(join(path, name), true);
    if (files.length > changeFiles) throw new NotKept('It has too many files');
  };
  for (const resource of resources) {
    const isTree = resource.endsWith(sep);
    await add(isTree ? resource.slice(0, -1) : resource, isTree);
  }
  return files;
};

interface Reading {
  privateFolder: string;
  signal: AbortSignal;
}

/** Digest of a file; `write` gets its bytes. */
const readThrough = (
  path: string,
  { privateFolder, signal }: Reading,
  write: (chunk: Buffer, size: number) => Promise<unknown>,
) =>
  withRegularFile(path, privateFolder, async (fd, { size, mode }) => {
    const hash = createHash('sha256');
    let bytes = 0;
    for await (const chunk of chunksOf(fd, size, signal)) {
      hash.update(chunk);
      bytes += chunk.length;
      await write(chunk, size);
    }
    return { sha256: hash.digest('hex'), bytes, mode: mode & 0o777 };
  });

/** The digest of what stands at a real path; null where no file does. */
export const digestAt = async (path: string, reading: Reading): Promise<string | null> => {
  if (lstatSync(path, { throwIfNoEntry: false })?.isFile() !== true) return null;
  return (await readThrough(path, reading, async () => {})).sha256;
};

/** Copies a file into the folder of a change. */
export const copyInto = async (
  { path, blob, left }: { path: string; blob: string; left: number },
  folder: string,
  reading: Reading,
): Promise<KeptContent> => {
  const copy = await open(join(folder, blob), 'wx', 0o600);
  try {
    const found = await readThrough(path, reading, (chunk, size) => {
      if (size > left) throw new NotKept('It is too large');
      return copy.appendFile(chunk);
    });
    return { ...found, blob };
  } finally {
    await copy.close();
  }
};
