import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { Clock } from '@drawbridge/kit';
import { nanoid } from 'nanoid';
import type { ChangeFile, KeptContent } from './change-file.ts';
import { copyInto, digestAt, filesOf } from './copy-files.ts';
import { fileOfChange, keptFolder, prune } from './kept-changes.ts';
import { keptLimits, type KeptLimits } from './limits.ts';

/** A call that is about to change files below `root`. */
export type Changing = Omit<ChangeFile, 'at' | 'files'>;

export interface KeeperNeeds {
  clock: Clock;
  /** The daemon's own, in which copies are kept. */
  privateFolder: string;
  limits?: KeptLimits;
}

/** How many digits the time of a change has in the name of its folder: names are in the order of time. */
const timeDigits = 14;
/** Old changes are looked for when so much time has passed, or so much was kept. */
const pruneEvery = { ms: 10 * 60_000, bytes: 25 * 1024 ** 2 };

/** Keeps what files held before calls changed them. */
export const createKeeper = ({ clock, privateFolder, limits = keptLimits }: KeeperNeeds) => {
  let pruned = { at: -Infinity, bytes: 0 };

  const copyAll = async (resources: readonly string[], folder: string, signal: AbortSignal) => {
    const before = new Map<string, KeptContent>();
    let left = limits.changeBytes;
    for (const path of await filesOf(resources, limits)) {
      const file = { path, blob: String(before.size), left };
      const content = await copyInto(file, folder, { privateFolder, signal });
      before.set(path, content);
      left -= content.bytes;
    }
    return before;
  };

  const changedFiles = async (resources: readonly string[], before: ReadonlyMap<string, KeptContent>) => {
    const { signal } = new AbortController();
    const paths = new Set([...before.keys(), ...(await filesOf(resources, limits))]);
    const files: ChangeFile['files'] = [];
    for (const path of paths) {
      const [old, after] = [before.get(path) ?? null, await digestAt(path, { privateFolder, signal })];
      if (after !== (old?.sha256 ?? null)) files.push({ path, before: old, after });
    }
    return files;
  };

  const pruneSometimes = async (bytes: number) => {
    pruned.bytes += bytes;
    const now = clock.now();
    if (now - pruned.at < pruneEvery.ms && pruned.bytes < pruneEvery.bytes) return;
    pruned = { at: now, bytes: 0 };
    await prune(privateFolder, { now, limits });
  };

  return {
    /**
     * Copies what the call may change. The returned function is called once it has changed it. Both throw
     * where that cannot be kept; then nothing of it is.
     */
    keep: async (changing: Changing, signal: AbortSignal): Promise<() => Promise<void>> => {
      const at = clock.now();
      const name = `${String(at).padStart(timeDigits, '0')}-${nanoid(8)}`;
      const folder = join(keptFolder(privateFolder), name);
      const orForget = async <T>(run: () => Promise<T>): Promise<T> => {
        try {
          return await run();
        } catch (error) {
          await rm(folder, { recursive: true, force: true });
          throw error;
        }
      };
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const before = await orForget(() => copyAll(changing.resources, folder, signal));
      return () =>
        orForget(async () => {
          const files = await changedFiles(changing.resources, before);
          if (files.length === 0) return rm(folder, { recursive: true, force: true });
          const change: ChangeFile = { ...changing, at, files };
          await writeFile(fileOfChange(folder), JSON.stringify(change), { mode: 0o600 });
          await pruneSometimes(files.reduce((sum, { before: old }) => sum + (old?.bytes ?? 0), 0));
        });
    },
  };
};

export type Keeper = ReturnType<typeof createKeeper>;

/** Whether a path is what a resource names, or below the folder that it names. */
export const isNamed = (resources: readonly string[], path: string): boolean =>
  resources.some((one) => one === path || (one.endsWith(sep) && path.startsWith(one)));
