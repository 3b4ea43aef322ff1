import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from '@drawbridge/kit';
import { changeFile, type KeptChange } from './change-file.ts';
import type { JoinedFile } from './join-changes.ts';
import type { KeptLimits } from './limits.ts';

export const keptFolder = (privateFolder: string): string => join(privateFolder, 'kept');
export const fileOfChange = (folder: string): string => join(folder, 'change.json');

/** A call that was killed leaves its copies without a record. */
const unfinishedMs = 60 * 60_000;

/** The folders of changes, newest first. */
const folders = async (privateFolder: string): Promise<string[]> => {
  const kept = keptFolder(privateFolder);
  const names = await readdir(kept).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return [];
    throw error;
  });
  return names
    .filter((name) => /^\d+-[\w-]{8}$/.test(name))
    .toSorted()
    .toReversed()
    .map((name) => join(kept, name));
};

/** Undefined for one that is unfinished or damaged. */
const readChange = async (folder: string): Promise<KeptChange | undefined> => {
  const text = await readFile(fileOfChange(folder), 'utf8').catch(() => 'null');
  try {
    const parsed = changeFile.safeParse(JSON.parse(text));
    return parsed.success ? { ...parsed.data, folder } : undefined;
  } catch {
    return undefined;
  }
};

/** The changes in a folder, newest first, as far as `until` says so. */
async function* changes(privateFolder: string, root: string): AsyncGenerator<KeptChange> {
  for (const folder of await folders(privateFolder)) {
    const change = await readChange(folder);
    if (change?.root === root) yield change;
  }
}

/** The newest changes below a shared folder. */
export const listChanges = async (
  privateFolder: string,
  { root, limit }: { root: string; limit: number },
): Promise<KeptChange[]> => {
  const found: KeptChange[] = [];
  for await (const change of changes(privateFolder, root)) if (found.push(change) >= limit) break;
  return found;
};

/** The changes that calls made, newest first; without calls the newest one of the caller. */
export const findChanges = async (
  privateFolder: string,
  wanted: { root: string } & ({ requestIds: readonly string[] } | { caller: string }),
): Promise<KeptChange[]> => {
  const ids = 'requestIds' in wanted ? new Set(wanted.requestIds) : undefined;
  const found: KeptChange[] = [];
  for await (const change of changes(privateFolder, wanted.root)) {
    const isWanted = ids ? ids.has(change.requestId) : 'caller' in wanted && change.caller === wanted.caller;
    if (isWanted && found.push(change) >= (ids?.size ?? 1)) break;
  }
  return found;
};

/** What a file held before; null where there was none. */
export const contentBefore = ({ folder, before }: JoinedFile): Promise<Buffer> | null =>
  before === null ? null : readFile(join(folder, before.blob));

const sizeOf = async (folder: string): Promise<number> => {
  const sizes = (await readdir(folder)).map(async (name) => (await stat(join(folder, name))).size);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
};

/** Deletes what is older than the limit, then the oldest of what is more than the limit. */
export const prune = async (
  privateFolder: string,
  { now, limits }: { now: number; limits: KeptLimits },
): Promise<void> => {
  let left = limits.bytes;
  for (const folder of await folders(privateFolder)) {
    const ageMs = now - Number(/(\d+)-[\w-]{8}$/.exec(folder)?.[1]);
    const isUnfinished = ageMs > unfinishedMs && (await readChange(folder)) === undefined;
    // Another daemon of this account may delete it at the same time.
    left -= await sizeOf(folder).catch(() => 0);
    if (left < 0 || ageMs > limits.ms || isUnfinished) await rm(folder, { recursive: true, force: true });
  }
};
