import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Check } from './check.ts';
import { hasCode } from '@drawbridge/kit';

const maxEntries = 2_000;
/** Programs, what Node compiles of them, and a copy of what every user can read: nothing secret. */
const notSecret = new Set(['versions', 'compile-cache', 'etc']);
/** Closed as a whole; a browser and coding agents give their own files the modes that they like. */
const closedAsWhole = new Set(['browser', 'runtimes']);

interface Found {
  path: string;
  wrong: 'a link' | 'of another user' | 'open to others';
}

const inspect = async (path: string): Promise<Found | null> => {
  const stats = await lstat(path);
  if (stats.isSymbolicLink()) return { path, wrong: 'a link' };
  if (process.getuid !== undefined && stats.uid !== process.getuid())
    return { path, wrong: 'of another user' };
  if (process.platform !== 'win32' && (stats.mode & 0o077) !== 0) return { path, wrong: 'open to others' };
  return null;
};

const pathsIn = async (folder: string): Promise<string[]> => {
  const paths = [folder];
  const folders = [folder];
  for (let current = folders.shift(); current !== undefined; current = folders.shift()) {
    for (const entry of await readdir(current, { withFileTypes: true })) {
      if (current === folder && notSecret.has(entry.name)) continue;
      const path = join(current, entry.name);
      paths.push(path);
      if (paths.length >= maxEntries) return paths;
      if (entry.isDirectory() && !(current === folder && closedAsWhole.has(entry.name))) folders.push(path);
    }
  }
  return paths;
};

/** Whether the daemon's own files are the person's alone. Changes nothing. */
export const checkFiles = async (privateFolder: string): Promise<Check> => {
  const name = 'files';
  try {
    const top = await inspect(privateFolder);
    const all =
      top === null ? await Promise.all((await pathsIn(privateFolder)).map((path) => inspect(path))) : [top];
    const wrong = all.filter((problem) => problem !== null);
    const [first] = wrong;
    if (first === undefined) return { name, state: 'ok', says: `${privateFolder} is yours alone` };
    const more = wrong.length > 1 ? ` (and ${wrong.length - 1} more)` : '';
    return {
      name,
      state: first.wrong === 'open to others' ? 'warning' : 'problem',
      says: `${first.path} is ${first.wrong}${more}`,
      fix:
        first.wrong === 'open to others'
          ? `Run: chmod -R go= ${privateFolder}`
          : 'Find out what made it, remove it, and pair again.',
    };
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return { name, state: 'note', says: `${privateFolder} does not exist yet` };
    const reason = error instanceof Error ? error.message : 'it cannot be read';
    return { name, state: 'problem', says: reason, fix: `Make ${privateFolder} readable for you alone.` };
  }
};
