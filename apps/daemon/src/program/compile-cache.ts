import { lstatSync, readdirSync, rmSync } from 'node:fs';
import { enableCompileCache, flushCompileCache, getCompileCacheDir } from 'node:module';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { isPrivate } from './is-private.ts';
import { privateFolderOf } from './places.ts';

/** Older entries belong to an earlier version, or are compiled again. */
const keepMs = 30 * 24 * 60 * 60 * 1_000;

/** Lets Node keep compiled code in the private folder; before that exists nothing is kept. */
export const useCompileCache = (): void => {
  const folder = privateFolderOf(homedir());
  if (isPrivate(folder)) enableCompileCache(join(folder, 'compile-cache'));
};

const removeOld = (folder: string, nowMs: number) => {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats !== undefined && nowMs - stats.mtimeMs > keepMs) rmSync(path, { recursive: true, force: true });
  }
};

/** Writes what was compiled since the start, because a daemon may be killed, and removes what is old. */
export const keepCompiled = (nowMs: number): void => {
  const folder = getCompileCacheDir();
  if (folder === undefined) return;
  try {
    flushCompileCache();
    for (const one of [folder, dirname(folder)]) removeOld(one, nowMs);
  } catch {
    // Without it a start is slower, and nothing else.
  }
};
