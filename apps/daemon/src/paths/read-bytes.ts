import { closeSync, fstatSync, lstatSync, read, readSync, readdirSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pathErrors as errors } from './errors.ts';
import { maxFileBytes } from './limits.ts';
import { openForReading } from './open.ts';

const readInto = promisify(read);

/** Up to this, reading takes less time than handing it to a thread. */
const smallBytes = 64 * 1024;

/** A second name for one of the daemon's own files is that file. */
const isOwnFile = (stats: Stats, privateFolder: string): boolean => {
  if (stats.nlink < 2) return false;
  return readdirSync(privateFolder).some((name) => {
    const own = lstatSync(join(privateFolder, name), { throwIfNoEntry: false });
    return own !== undefined && own.ino === stats.ino && own.dev === stats.dev;
  });
};

/** Reads to the end, at most one byte over the limit: a file's stated size proves nothing. */
const readAll = async (fd: number, stated: number, maxBytes: number): Promise<Buffer> => {
  let bytes = Buffer.allocUnsafe(Math.min(stated, maxBytes) + 1);
  let length = 0;
  for (;;) {
    const free = bytes.length - length;
    const bytesRead =
      bytes.length > smallBytes
        ? (await readInto(fd, bytes, length, free, null)).bytesRead
        : readSync(fd, bytes, length, free, null);
    length += bytesRead;
    if (length > maxBytes) throw errors.tooLarge();
    if (bytesRead === 0) return bytes.subarray(0, length);
    if (length === bytes.length) bytes = Buffer.concat([bytes], Math.min(bytes.length * 2, maxBytes + 1));
  }
};

/** Runs with a regular file open for reading. Throws `isFolder`, `notFile`, `changed`, `protectedPath`. */
export const withRegularFile = async <T>(
  path: string,
  privateFolder: string,
  run: (fd: number, stats: Stats) => Promise<T>,
): Promise<T> => {
  const { fd } = openForReading(path);
  try {
    const stats = fstatSync(fd);
    if (stats.isDirectory()) throw errors.isFolder();
    if (!stats.isFile()) throw errors.notFile();
    if (isOwnFile(stats, privateFolder)) throw errors.protectedPath();
    return await run(fd, stats);
  } finally {
    closeSync(fd);
  }
};

export const readBytes = (
  path: string,
  privateFolder: string,
  maxBytes: number = maxFileBytes,
): Promise<Buffer> =>
  withRegularFile(path, privateFolder, async (fd, stats) => {
    if (stats.size > maxBytes) throw errors.tooLarge();
    return readAll(fd, stats.size, maxBytes);
  });

/** The first `size` bytes of an open file, in chunks: a file that grows does not grow the copy. */
export async function* chunksOf(fd: number, size: number, signal: AbortSignal): AsyncGenerator<Buffer> {
  for (let position = 0; position < size;) {
    signal.throwIfAborted();
    const chunk = Buffer.allocUnsafe(Math.min(size - position, 1024 * 1024));
    const { bytesRead } = await readInto(fd, chunk, 0, chunk.length, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield chunk.subarray(0, bytesRead);
  }
}
