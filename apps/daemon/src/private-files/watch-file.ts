import { statSync, watch } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '@drawbridge/kit';

/** For changes that the system does not report: no watches left, a network disk, a replaced folder. */
const checkEveryMs = 2_000;

/** Differs between two states of a file, without reading it; undefined when there is no file. */
export const stampOf = (path: string): string | undefined => {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stats && [stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(' ');
};

/** Watches the folder: a file that is replaced is another file. Undefined where the system refuses. */
const watchFolder = (folder: string, listen: () => void) => {
  try {
    const watcher = watch(folder, { persistent: false }, listen);
    return watcher.on('error', () => watcher.close());
  } catch {
    return undefined;
  }
};

/** Calls when a file has changed, appeared or gone; gives a function that stops it. */
export const watchFile = (
  { folder, name, clock }: { folder: string; name: string; clock: Clock },
  listen: () => void,
): (() => void) => {
  const path = join(folder, name);
  let stamp = stampOf(path);
  const check = () => {
    const now = stampOf(path);
    if (now === stamp) return;
    stamp = now;
    listen();
  };
  const watcher = watchFolder(folder, check);
  const stopChecking = clock.every(checkEveryMs, check);
  return () => {
    watcher?.close();
    stopChecking();
  };
};
