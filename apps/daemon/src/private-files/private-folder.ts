import { constants } from 'node:fs';
import { lstat, mkdir, open, realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import writeFileAtomic from 'write-file-atomic';
import { errors } from './errors.ts';
import { hasCode } from '@drawbridge/kit';

const isOurs = (uid: number) => process.getuid === undefined || uid === process.getuid();
const noFollow = constants.O_NOFOLLOW ?? 0;

/** Opens the private folder without following a link and sets its mode to 0700. Returns its real path. */
export const openPrivateFolder = async (folder: string): Promise<string> => {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if ((await lstat(folder)).isSymbolicLink()) throw errors.settingsUnsafe({ message: `${folder} is a link` });
  const handle = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY | noFollow);
  try {
    const stats = await handle.stat();
    if (!isOurs(stats.uid)) throw errors.settingsUnsafe({ message: `${folder} belongs to another user` });
    if ((stats.mode & 0o077) !== 0) await handle.chmod(0o700);
  } finally {
    await handle.close();
  }
  return join(await realpath(dirname(folder)), basename(folder));
};

/** The text of a private file, its mode brought to 0600; undefined when it is missing. */
export const readPrivateFile = async (path: string): Promise<string | undefined> => {
  const handle = await open(path, constants.O_RDONLY | noFollow | (constants.O_NONBLOCK ?? 0)).catch(
    (cause: unknown) => {
      if (hasCode(cause, 'ENOENT')) return undefined;
      if (hasCode(cause, 'ELOOP')) throw errors.settingsUnsafe({ message: `${path} is a link`, cause });
      throw errors.settingsUnsafe({ message: `${path} cannot be read`, cause });
    },
  );
  if (handle === undefined) return undefined;
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw errors.settingsUnsafe({ message: `${path} is not a file` });
    if (!isOurs(stats.uid)) throw errors.settingsUnsafe({ message: `${path} belongs to another user` });
    if ((stats.mode & 0o077) !== 0) await handle.chmod(0o600);
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
};

/** Waits until the names in a folder are on disk. */
export const syncFolder = async (path: string): Promise<void> => {
  const folder = await open(path, constants.O_RDONLY | (constants.O_DIRECTORY ?? 0));
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
};

/** Replaces a private file in one step; on disk, with its name, when this resolves. */
export const writePrivateFile = async (path: string, text: string): Promise<void> => {
  await writeFileAtomic(path, text, { mode: 0o600 });
  await syncFolder(dirname(path));
};
