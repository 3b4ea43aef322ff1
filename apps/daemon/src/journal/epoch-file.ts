import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import writeFileAtomic from 'write-file-atomic';

const wholeNumber = /^\d{1,15}$/;

/**
 * The newest epoch that the server of this room has named, for the next process; null for none. One that
 * cannot be written is known to this process alone, and the next one asks the server.
 */
export const openEpochFile = async (folder: string) => {
  const path = join(folder, 'epoch');
  const text = await readFile(path, 'utf8').catch(() => '');
  let known = wholeNumber.test(text) ? Number(text) : null;
  let written = Promise.resolve();
  return {
    get: (): number | null => known,
    set: (epoch: number | null): void => {
      if (epoch === known) return;
      known = epoch;
      const write = () => writeFileAtomic(path, String(epoch ?? ''), { mode: 0o600, fsync: false });
      written = written.then(write).catch(() => {});
    },
    /** Resolves when nothing more is being written. */
    settled: (): Promise<void> => written,
  };
};

export type EpochFile = Awaited<ReturnType<typeof openEpochFile>>;
