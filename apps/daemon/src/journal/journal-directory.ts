import { createHash } from 'node:crypto';
import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CodedError, type Clock, hasCode } from '@drawbridge/kit';
import { nanoid } from 'nanoid';
import { openEpochFile, type EpochFile } from './epoch-file.ts';
import { errors } from './errors.ts';
import { openJournal, type Journal } from './journal.ts';
import { acquireLock } from '../private-files/lock.ts';

export interface OpenedJournal {
  journal: Journal;
  folder: string;
  /** Names this room: the same after a restart, another one for a copy of the files. */
  instance: string;
  /** Of the server's last answer to an init, also one to an earlier process. */
  epoch: Pick<EpochFile, 'get' | 'set'>;
  close(): Promise<void>;
}

export const journalFolder = (privateFolder: string): string => join(privateFolder, 'journal');

/** One journal for each server, and for each machine that shares the person's folder. */
const directoryName = ({ url, host }: { url: URL; host: string }): string =>
  createHash('sha256').update(`${host}\n${url.href}`).digest('hex').slice(0, 16);

const readInstance = async (folder: string): Promise<string> => {
  const path = join(folder, 'instance');
  // Only the first start writes it, while it holds the lock.
  await writeFile(path, nanoid(), { flag: 'wx', mode: 0o600 }).catch((error: unknown) => {
    if (!hasCode(error, 'EEXIST')) throw error;
  });
  // A copy has the same content in another place.
  return `${(await readFile(path, 'utf8')).slice(0, 64)}-${(await stat(path)).ino}`;
};

export interface JournalDirectoryNeeds {
  clock: Clock;
  privateFolder: string;
  server: { url: URL; host: string };
}

const openIn = async (
  folder: string,
  { clock, privateFolder }: JournalDirectoryNeeds,
): Promise<OpenedJournal> => {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(privateFolder, 0o700);
  const lock = await acquireLock(folder);
  if (lock.kind === 'held') {
    throw errors.inUse({
      message: `Another drawbridge (process ${lock.pid}) is connected to this server with this session`,
    });
  }
  try {
    const instance = await readInstance(folder);
    const epoch = await openEpochFile(folder);
    const journal = await openJournal({ folder, clock });
    const close = async () => {
      await epoch.settled();
      await journal.close().finally(lock.release);
    };
    return { journal, folder, instance, epoch, close };
  } catch (error) {
    await lock.release();
    throw error;
  }
};

/** Opens the journal of one server for this process alone. Throws `inUse` and `unusable`. */
export const openJournalDirectory = async (needs: JournalDirectoryNeeds): Promise<OpenedJournal> => {
  const folder = join(journalFolder(needs.privateFolder), directoryName(needs.server));
  try {
    return await openIn(folder, needs);
  } catch (cause) {
    if (cause instanceof CodedError) throw cause;
    throw errors.unusable({ message: `The journal in ${folder} cannot be used`, cause });
  }
};
