import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { journalFolder } from '../journal/index.ts';
import { lockHolder } from '../lock/index.ts';
import { daemonStatus, type DaemonStatus } from './status.ts';
import { statusPath } from './status-file.ts';

const readOne = async (folder: string): Promise<DaemonStatus | null> => {
  try {
    const pid = await lockHolder(folder);
    const status = daemonStatus.parse(JSON.parse(await readFile(statusPath(folder), 'utf8')));
    // One that an earlier process left behind tells nothing of this one.
    return status.pid === pid ? status : null;
  } catch {
    return null;
  }
};

/** The daemons of this person that run now, each as it told of itself. Asks no process, changes nothing. */
export const readStatuses = async (privateFolder: string): Promise<DaemonStatus[]> => {
  const folder = journalFolder(privateFolder);
  const rooms = await readdir(folder).catch(() => []);
  const found = await Promise.all(rooms.map((room) => readOne(join(folder, room))));
  return found.filter((status) => status !== null);
};
