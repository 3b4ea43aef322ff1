import { lstatSync } from 'node:fs';

/** Whether a folder belongs to this user and is closed to all others: what is in it may run as our code. */
export const isPrivate = (folder: string): boolean => {
  const stats = lstatSync(folder, { throwIfNoEntry: false });
  const isOurs = process.getuid === undefined || stats?.uid === process.getuid();
  return stats !== undefined && stats.isDirectory() && isOurs && (stats.mode & 0o077) === 0;
};
