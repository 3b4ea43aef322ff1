import { createHash } from 'node:crypto';
import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '@drawbridge/kit';
import { nanoid } from 'nanoid';
import { openJournal, type Journal } from './journal.ts';
import { takeLock } from './lock.ts';

export interface JournalRoom {
  journal: Journal;
  /** Names this room: the same after a restart, another one for a copy of the files. */
  instance: string;
  /** Writes what waits, and lets another daemon in. */
  close(): Promise<void>;
}

/** One journal for each server, and for each machine that shares the person's folder. */
const roomName = ({ url, host }: { url: URL; host: string }): string =>
  createHash('sha256').update(`${host}\n${url.href}`).digest('hex').slice(0, 16);

const readInstance = async (folder: string): Promise<string> => {
  const path = join(folder, 'instance');
  // Only the first start writes it, and only whoever holds the lock.
  await writeFile(path, nanoid(), { flag: 'wx', mode: 0o600 }).catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  });
  // A copy has the same content in another place.
  return `${(await readFile(path, 'utf8')).slice(0, 64)}-${(await stat(path)).ino}`;
};

/** Takes the journal of one server in the person's private folder for this process alone. Throws `inUse`. */
export const openJournalRoom = async (needs: {
  clock: Clock;
  privateFolder: string;
  server: { url: URL; host: string };
}): Promise<JournalRoom> => {
  const folder = join(needs.privateFolder, 'journal', roomName(needs.server));
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(needs.privateFolder, 0o700);
  const giveBack = await takeLock(folder);
  const journal = await openJournal({ folder, clock: needs.clock });
  return {
    journal,
    instance: await readInstance(folder),
    close: async () => {
      await journal.close();
      await giveBack();
    },
  };
};
