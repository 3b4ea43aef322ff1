import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  realpathSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { hasCode } from '@drawbridge/kit';
import { pathErrors as errors } from './errors.ts';

/** On Linux files can be reached through their folder's descriptor. The own pid saves a link. */
const findDescriptors = (): string | undefined => {
  if (process.platform !== 'linux' || !existsSync('/proc/self/fd')) return undefined;
  return readlinkSync('/proc/self') === String(process.pid) ? `/proc/${process.pid}/fd` : '/proc/self/fd';
};
/** The folder of this process's descriptors; undefined where files cannot be reached through them. */
export const descriptors = findDescriptors();
const noFollow = constants.O_NOFOLLOW ?? 0;
const noWait = constants.O_NONBLOCK ?? 0;
const folderOnly = constants.O_DIRECTORY ?? 0;

export interface Opened {
  fd: number;
  path: string;
}

/** A folder through whose descriptor its entries are reached, wherever its name points by now. */
export interface Folder extends Opened {
  /** The path of one entry, for calls that do not follow a last link. */
  entry(name: string): string;
}

/** Whether the descriptor is what stands at `path`, without any link. Called after opening. */
const isAt = ({ fd, path }: Opened): boolean => {
  if (descriptors !== undefined) return readlinkSync(`${descriptors}/${fd}`) === path;
  const [own, named] = [fstatSync(fd), lstatSync(path)];
  return own.dev === named.dev && own.ino === named.ino && realpathSync(dirname(path)) === dirname(path);
};

const openAt = (path: string, flags: number): Opened => {
  let fd: number;
  try {
    fd = openSync(path, flags | noFollow | noWait);
  } catch (cause) {
    // A link where none was seen; a socket or a device without a server.
    if (hasCode(cause, 'ELOOP') || hasCode(cause, 'EMLINK')) throw errors.changed({ cause });
    if (hasCode(cause, 'ENXIO')) throw errors.notFile({ cause });
    throw cause;
  }
  return { fd, path };
};

const verified = (opened: Opened): Opened => {
  try {
    if (isAt(opened)) return opened;
    throw errors.changed();
  } catch (error) {
    closeSync(opened.fd);
    throw error;
  }
};

/** Opens a real path for reading, without waiting or following a link. Close `fd` when done. */
export const openForReading = (path: string): Opened => {
  // A file that is replaced at this moment is opened as the one that went; the next look finds the new one.
  for (let attempt = 0; ; attempt += 1) {
    try {
      return verified(openAt(path, constants.O_RDONLY));
    } catch (error) {
      if (attempt === 2 || !hasCode(error, 'CHANGED')) throw error;
    }
  }
};

const asFolder = ({ fd, path }: Opened): Folder => {
  const base = descriptors === undefined ? path : `${descriptors}/${fd}`;
  return { fd, path, entry: (name) => `${base}/${name}` };
};

/** Opens the folder at a real path. Close `fd` when done. */
export const openFolder = (path: string): Folder =>
  asFolder(verified(openAt(path, constants.O_RDONLY | folderOnly)));

/** Linux: also without the right to read it. */
const pathOnly = 0o10000000;
const ownerRights = 0o700;

/** Gives the owner all rights to the folder at a real path; no link is followed. */
export const openToOwner = (path: string): void => {
  if (descriptors === undefined) return chmodSync(path, ownerRights);
  const { fd } = verified(openAt(path, pathOnly | folderOnly));
  try {
    chmodSync(`${descriptors}/${fd}`, (fstatSync(fd).mode & 0o7777) | ownerRights);
  } finally {
    closeSync(fd);
  }
};

/** Opens a folder inside an open one, without following a link and without a look at names above. */
export const openSubfolder = (parent: Folder, name: string): Folder => {
  const { fd } = openAt(parent.entry(name), constants.O_RDONLY | folderOnly);
  return asFolder({ fd, path: join(parent.path, name) });
};

export const inFolder = async <T>(folder: Folder, run: (folder: Folder) => Promise<T> | T): Promise<T> => {
  try {
    return await run(folder);
  } finally {
    closeSync(folder.fd);
  }
};

/** Runs with the folder above a real path, open and verified, and with the last name. */
export const inParent = <T>(
  path: string,
  run: (parent: Folder, name: string) => Promise<T> | T,
): Promise<T> => inFolder(openFolder(dirname(path)), (parent) => run(parent, basename(path)));
