import { createHash } from 'node:crypto';
import { constants, lstatSync, type Stats } from 'node:fs';
import { open, rename, rm, type FileHandle } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { hasCode } from '@drawbridge/kit';
import { nanoid } from 'nanoid';
import { pathErrors as errors } from './errors.ts';
import { syncFolder } from '../private-files/private-folder.ts';
import { mkdirp } from './mkdirp.ts';
import { inFolder, type Folder } from './open.ts';

const noFollow = constants.O_NOFOLLOW ?? 0;

const beginningOf = (tag: string) =>
  `.drawbridge-${createHash('sha256').update(tag).digest('hex').slice(0, 16)}-`;

export const temporaryName = (tag: string): string => `${beginningOf(tag)}${nanoid(8)}.tmp`;
export const isTemporaryNameOf = (tag: string, name: string): boolean =>
  name.startsWith(beginningOf(tag)) && /-[\w-]{8}\.tmp$/.test(name);

/** Copies the mode and, where permitted, the owner of the replaced file; never set-uid bits. */
const takeOver = async (file: FileHandle, old: Stats): Promise<void> => {
  const own = await file.stat();
  if (own.uid !== old.uid || own.gid !== old.gid) {
    await file.chown(old.uid, old.gid).catch((error: unknown) => {
      if (!hasCode(error, 'EPERM')) throw error;
    });
  }
  await file.chmod(old.mode & 0o777);
};

/** `tag` is the call's, `mode` is for a file that was not there before. */
export interface Content {
  tag: string;
  data: string | AsyncIterable<Buffer>;
  mode?: number;
}

async function* pieces(data: Content['data']): AsyncGenerator<string | Buffer> {
  if (typeof data === 'string') yield data;
  else yield* data;
}

/**
 * Replaces a file in an open folder atomically and synced. Other names of the old file keep its content.
 * Throws `notFile` over anything else than a file.
 */
export const replaceFile = async (folder: Folder, name: string, content: Content): Promise<void> => {
  const old = lstatSync(folder.entry(name), { throwIfNoEntry: false });
  if (old && !old.isFile()) throw errors.notFile();
  const temporary = folder.entry(temporaryName(content.tag));
  const file = await open(
    temporary,
    constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | noFollow,
    content.mode ?? 0o666,
  );
  try {
    try {
      if (old) await takeOver(file, old);
      for await (const piece of pieces(content.data)) await file.appendFile(piece);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, folder.entry(name));
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncFolder(folder.entry('.'));
};

/** Replaces or makes the file at a real path below `root`, and makes the folders above it. */
export const putFile = (path: string, root: string, content: Content): Promise<void> =>
  inFolder(mkdirp(dirname(path), root), (folder) => replaceFile(folder, basename(path), content));
