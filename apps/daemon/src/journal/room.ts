import { createHash } from 'node:crypto';
import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CodedError, type Clock } from '@drawbridge/kit';
import { nanoid } from 'nanoid';
import { hasCode, takeLock } from '../lock/index.ts';
import { errors } from './errors.ts';
import { openJournal, type Journal } from './journal.ts';

export interface JournalRoom {
  journal: Journal;
  /** Where it is. */
  folder: string;
  /** Names this room: the same after a restart, another one for a copy of the files. */
  instance: string;
  /** Writes what waits, and lets another daemon in. */
  close(): Promise<void>;
}

/** Has a folder for each journal. */
export const journalFolder = (privateFolder: string): string => join(privateFolder, 'journal');

/** One journal for each server, and for each machine that shares the person's folder. */
const roomName = ({ url, host }: { url: URL; host: string }): string =>
  createHash('sha256').update(`${host}\n${url.href}`).digest('hex').slice(0, 16);

const readInstance = async (folder: string): Promise<string> => {
  const path = join(folder, 'instance');
  // Only the first start writes it, and only whoever holds the lock.
  await writeFile(path, nanoid(), { flag: 'wx', mode: 0o600 }).catch((error: unknown) => {
    if (!hasCode(error, 'EEXIST')) throw error;
  });
  // A copy has the same content in another place.
  return `${(await readFile(path, 'utf8')).slice(0, 64)}-${(await stat(path)).ino}`;
};

export interface RoomNeeds {
  clock: Clock;
  privateFolder: string;
  server: { url: URL; host: string };
}

const openIn = async (folder: string, { clock, privateFolder }: RoomNeeds): Promise<JournalRoom> => {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(privateFolder, 0o700);
  const lock = await takeLock(folder);
  if (lock.kind === 'held') {
    throw errors.inUse({
      message: `Another drawbridge (process ${lock.pid}) is connected to this server with this session`,
    });
  }
  try {
    const instance = await readInstance(folder);
    const journal = await openJournal({ folder, clock });
    const close = () => journal.close().finally(lock.giveBack);
    return { journal, folder, instance, close };
  } catch (error) {
    await lock.giveBack();
    throw error;
  }
};

/** Takes the journal of one server in the person's private folder for this process alone. Throws `inUse` and `unusable`. */
export const openJournalRoom = async (needs: RoomNeeds): Promise<JournalRoom> => {
  const folder = join(journalFolder(needs.privateFolder), roomName(needs.server));
  try {
    return await openIn(folder, needs);
  } catch (cause) {
    if (cause instanceof CodedError) throw cause;
    throw errors.unusable({ message: `The journal in ${folder} cannot be used`, cause });
  }
};
