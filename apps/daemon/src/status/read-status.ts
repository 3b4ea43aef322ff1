import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { journalFolder } from '../journal/index.ts';
import { parseJson } from '../text/parse-json.ts';
import { daemonStatus, type DaemonStatus } from './status.ts';
import { statusPath } from './status-file.ts';
import { lockHolder } from '../private-files/lock.ts';

/** Of the daemon that has locked this folder of the journal; null where none runs. */
export const readStatus = async (folder: string): Promise<DaemonStatus | null> => {
  const pid = await lockHolder(folder).catch(() => null);
  const status = parseJson(daemonStatus, await readFile(statusPath(folder), 'utf8').catch(() => undefined));
  // A file of an earlier process says nothing about this one.
  return status?.pid === pid ? status : null;
};

/** The status files of this user's daemons that run now. Asks no process, changes nothing. */
export const readStatuses = async (privateFolder: string): Promise<DaemonStatus[]> => {
  const folder = journalFolder(privateFolder);
  const names = await readdir(folder).catch(() => []);
  const statuses = await Promise.all(names.map((name) => readStatus(join(folder, name))));
  return statuses.filter((status) => status !== null);
};
