import { chmod, mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import writeFileAtomic from 'write-file-atomic';

/** What `drawbridge connect` without arguments needs. */
const session = z.object({ url: z.url(), key: z.string().min(1), hostIdentifier: z.string() });
export type Session = z.infer<typeof session>;

/** Keeps the session key in the person's private folder (0700, file 0600) until explicit disconnect. */
export interface SessionFile {
  /** Null when there is none, or none that can be read. */
  read(): Promise<Session | null>;
  write(value: Session): Promise<void>;
  forget(): Promise<void>;
}

export const createSessionFile = (folder: string): SessionFile => {
  const path = join(folder, 'session.json');
  // Writes and removals come one after the other, so that the last one wins.
  let last: Promise<void> = Promise.resolve();
  const inTurn = (run: () => Promise<void>): Promise<void> => (last = last.then(run, run));
  return {
    read: async () => {
      try {
        return session.parse(JSON.parse(await readFile(path, 'utf8')));
      } catch {
        return null;
      }
    },
    write: (value) =>
      inTurn(async () => {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        await chmod(folder, 0o700);
        await writeFileAtomic(path, JSON.stringify(value), { mode: 0o600 });
      }),
    forget: () => inTurn(() => rm(path, { force: true })),
  };
};
