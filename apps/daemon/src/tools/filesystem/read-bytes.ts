import { closeSync, fstatSync, lstatSync, readdirSync, type Stats } from 'node:fs';
import { read } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { errors } from '../errors.ts';
import { maxFileBytes } from './limits.ts';
import { openForReading } from './open.ts';

const readInto = promisify(read);

/** A second name for one of the daemon's own files is that file. */
const isOwnFile = (found: Stats, privateFolder: string): boolean => {
  if (found.nlink < 2) return false;
  return readdirSync(privateFolder).some((name) => {
    const own = lstatSync(join(privateFolder, name), { throwIfNoEntry: false });
    return own !== undefined && own.ino === found.ino && own.dev === found.dev;
  });
};

/** Reads to the end, at most one byte over the limit: a file's stated size proves nothing. */
const readAll = async (fd: number, stated: number): Promise<Buffer> => {
  let bytes = Buffer.allocUnsafe(Math.min(stated, maxFileBytes) + 1);
  let length = 0;
  for (;;) {
    const { bytesRead } = await readInto(fd, bytes, length, bytes.length - length, null);
    length += bytesRead;
    if (length > maxFileBytes) throw errors.tooLarge();
    if (bytesRead === 0) return bytes.subarray(0, length);
    if (length === bytes.length) bytes = Buffer.concat([bytes], Math.min(bytes.length * 2, maxFileBytes + 1));
  }
};

/** The content of the regular file at a real path. Throws `notFile`, `tooLarge`, `changed`, `protectedPath`. */
export const readBytes = async (path: string, privateFolder: string): Promise<Buffer> => {
  const { fd } = openForReading(path);
  try {
    const found = fstatSync(fd);
    if (!found.isFile()) throw errors.notFile();
    if (isOwnFile(found, privateFolder)) throw errors.protectedPath();
    if (found.size > maxFileBytes) throw errors.tooLarge();
    return await readAll(fd, found.size);
  } finally {
    closeSync(fd);
  }
};
