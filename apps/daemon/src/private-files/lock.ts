import { link, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nanoid } from 'nanoid';
import { z } from 'zod';
import { hasCode } from '@drawbridge/kit';
import { isRunning } from '../processes/process-tree.ts';
import { readQuietly } from '../program/quiet-files.ts';
import { parseJson } from '../text/parse-json.ts';

/**
 * A lock is the file `lock.<n>` with the greatest n, made only when the last holder is gone.
 * Two processes cannot both make the next one, and `kill -9` leaves nothing to clean up.
 */
const lockPattern = /^lock\.(\d{1,15})$/;

/** `began` tells a process from a later one with the same number; null where the system does not show it. */
const holder = z.object({ pid: z.number().int(), began: z.string().nullable() });
type Holder = z.infer<typeof holder>;

/** When a process began: the boot, and the ticks since then (Linux). */
const beginningOf = (pid: number): string | null => {
  const boot = readQuietly('/proc/sys/kernel/random/boot_id');
  const stat = readQuietly(`/proc/${pid}/stat`);
  if (boot === undefined || stat === undefined) return null;
  // The name of the program stands in brackets and may hold anything.
  const ticks = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  return `${boot.trim()} ${ticks}`;
};

const isAlive = ({ pid, began }: Holder): boolean =>
  isRunning(pid) && (began === null || began === beginningOf(pid));

/** Undefined for one that was given back, or is gone: each lock file is whole from its first moment. */
const readHolder = async (path: string): Promise<Holder | undefined> =>
  parseJson(holder, await readFile(path, 'utf8').catch(() => undefined));

const numbers = async (folder: string): Promise<number[]> =>
  (await readdir(folder)).flatMap((name) => {
    const digits = lockPattern.exec(name)?.[1];
    return digits === undefined ? [] : [Number(digits)];
  });

/** Makes a file with its content in one step; false when there is one. */
const make = async (path: string, content: string): Promise<boolean> => {
  const draft = `${path}.${nanoid(8)}`;
  await writeFile(draft, content, { flag: 'wx', mode: 0o600 });
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
};

/** `pid`: the process that holds it. */
export type Lock = { kind: 'taken'; release(): Promise<void> } | { kind: 'held'; pid: number };

/** The process that holds the lock of a folder now; null when none does. Changes nothing. */
export const lockHolder = async (folder: string): Promise<number | null> => {
  const last = Math.max(0, ...(await numbers(folder)));
  const holder = await readHolder(join(folder, `lock.${last}`));
  return holder !== undefined && isAlive(holder) ? holder.pid : null;
};

export const acquireLock = async (folder: string): Promise<Lock> => {
  const own: Holder = { pid: process.pid, began: beginningOf(process.pid) };
  for (;;) {
    const existing = await numbers(folder);
    const last = Math.max(0, ...existing);
    const before = await readHolder(join(folder, `lock.${last}`));
    if (before !== undefined && isAlive(before)) return { kind: 'held', pid: before.pid };
    const path = join(folder, `lock.${last + 1}`);
    if (!(await make(path, JSON.stringify(own)))) continue;
    // Made where an earlier one was removed meanwhile: the process with a later one holds the lock.
    if (Math.max(...(await numbers(folder))) > last + 1) {
      await rm(path, { force: true });
      continue;
    }
    for (const old of existing) await rm(join(folder, `lock.${old}`), { force: true });
    const release = async () => {
      const emptied = `${path}.${nanoid(8)}`;
      await writeFile(emptied, '', { mode: 0o600 });
      // The name stays, so that the numbers go on rising.
      await rename(emptied, path);
    };
    return { kind: 'taken', release };
  }
};
