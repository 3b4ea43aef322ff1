import { chmod, mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createSerialQueue, type Clock } from '@drawbridge/kit';
import { z } from 'zod';
import writeFileAtomic from 'write-file-atomic';
import { parseJson } from '../../text/parse-json.ts';
import { openKeyring, type Keyring, type KeyStore } from './keyring.ts';

const kept = z.object({
  url: z.url(),
  hostIdentifier: z.string(),
  key: z.string().min(1).optional(),
  folder: z.string().min(1).optional(),
});

export interface Session {
  url: string;
  key: string;
  hostIdentifier: string;
  /** The folder that was shared last; left out until one was. */
  folder?: string | undefined;
}

export interface KeptSession {
  url: string;
  hostIdentifier: string;
  folder?: string | undefined;
  keptIn: KeyStore;
}

export interface SessionFileNeeds {
  folder: string;
  clock: Clock;
  /** Where to keep the key; without it, in a working keyring, else in the file. */
  keyStore?: KeyStore | null;
  keyring?: Keyring;
}

/** The session in the private folder (0700, file 0600); its key there or in the keyring. */
export const createSessionFile = ({ folder, clock, keyStore, keyring }: SessionFileNeeds) => {
  const path = join(folder, 'session.json');
  const ring = keyring ?? openKeyring({ account: path, clock });
  // Writes and removals run one after the other, so that the last one wins.
  const inTurn = createSerialQueue();

  const readSaved = async () => parseJson(kept, await readFile(path, 'utf8').catch(() => undefined)) ?? null;

  const putInKeyring = async (key: string): Promise<boolean> => {
    if (keyStore === 'file' || ((keyStore ?? null) === null && !ring.isLikely())) return false;
    try {
      await ring.set(key);
      return true;
    } catch (error) {
      if (keyStore === 'keyring') throw error;
      return false;
    }
  };

  return {
    /** Null when there is no readable session. Rejects with `keyringUnavailable` where the keyring fails. */
    read: async () => {
      const saved = await readSaved();
      if (saved === null) return null;
      const key = saved.key ?? (await ring.get());
      return key === null ? null : { ...saved, key };
    },
    readKept: async (): Promise<KeptSession | null> => {
      const saved = await readSaved();
      if (saved === null) return null;
      const { key, ...rest } = saved;
      return { ...rest, keptIn: key === undefined ? 'keyring' : 'file' };
    },
    /** `keyringUnavailable` where the wanted keyring does not work: nothing is written. */
    probe: async () => {
      if (keyStore === 'keyring') await ring.probe();
    },
    write: ({ key, ...session }: Session) =>
      inTurn(async () => {
        const isInKeyring = await putInKeyring(key);
        await mkdir(folder, { recursive: true, mode: 0o700 });
        await chmod(folder, 0o700);
        const text = JSON.stringify({ ...session, ...(isInKeyring ? {} : { key }) });
        await writeFileAtomic(path, text, { mode: 0o600 });
      }),
    forget: () =>
      inTurn(async () => {
        const saved = await readSaved();
        await rm(path, { force: true });
        // The server has ended the session: what is left in a keyring that does not answer opens nothing.
        if (saved !== null && saved.key === undefined) await ring.remove().catch(() => {});
      }),
  };
};

export type SessionFile = ReturnType<typeof createSessionFile>;
