import { cp, lstat, mkdir, opendir, readdir, rename, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { WorkspaceTool } from '@drawbridge/agent';
import type { ToolResult } from '@drawbridge/contracts/tool-result';
import { hasCode } from '@drawbridge/kit';
import { z } from 'zod';
import { clear } from './folders.ts';
import type { WorkspaceLimits } from './limits.ts';
import { failed } from './run-contained.ts';

/** Also the name of a folder: without separators, and never hidden. */
const snapshotName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/);
const named = z.strictObject({ name: snapshotName });

const schemaOf = (input: z.ZodType) => z.toJSONSchema(input, { target: 'draft-7' });

export const snapshotTools: readonly WorkspaceTool[] = [
  {
    name: 'snapshot',
    description: 'Keeps a copy of all files under a name; the same name replaces it.',
    inputSchema: schemaOf(named),
    isReading: false,
  },
  {
    name: 'list_snapshots',
    description: 'Lists the kept copies, oldest first.',
    inputSchema: schemaOf(z.strictObject({})),
    isReading: true,
  },
  {
    name: 'restore_snapshot',
    description: 'Replaces all files by those of a kept copy.',
    inputSchema: schemaOf(named),
    isReading: false,
    isDestructive: true,
  },
];

/** Sockets, pipes and devices stay behind. */
const isKept = async (path: string): Promise<boolean> => {
  const found = await lstat(path);
  return found.isFile() || found.isDirectory() || found.isSymbolicLink();
};

/** A copy of a folder with its links as they are. Nothing runs in it meanwhile. */
const copy = (from: string, to: string): Promise<void> =>
  cp(from, to, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true, filter: isKept });

/** Whether the files below it have at most so many bytes once they are copied, holes included. */
const fits = async (folder: string, bytes: number): Promise<boolean> => {
  const left = [folder];
  let total = 0;
  for (let at = left.pop(); at !== undefined; at = left.pop())
    for await (const entry of await opendir(at)) {
      const path = join(at, entry.name);
      if (entry.isDirectory()) left.push(path);
      else if (entry.isFile()) total += (await lstat(path)).size;
      if (total > bytes) return false;
    }
  return true;
};

const nothing = (error: unknown): string[] => {
  if (hasCode(error, 'ENOENT')) return [];
  throw error;
};

/** Unfinished copies begin with a dot. */
const listed = async (place: string): Promise<string[]> =>
  (await readdir(place).catch(nothing)).filter((name) => !name.startsWith('.'));

const mebibyte = 1024 * 1024;
const said = (text: string): ToolResult => ({ content: [{ type: 'text', text }] });

interface Places {
  folder: string;
  place: string;
  replace(by: string): Promise<void>;
}

/** Copies of the folder of a workspace, by name. `replace` puts another folder in place of the workspace. */
export const createSnapshots = (limits: WorkspaceLimits) => {
  /** Why the copy is not made, in a sentence; null once it is there. */
  const save = async (folder: string, place: string, name: string): Promise<string | null> => {
    const others = (await listed(place)).filter((one) => one !== name);
    if (others.length >= limits.snapshotsOfFolder)
      return `There are ${limits.snapshotsOfFolder} snapshots already: ${others.join(', ')}. Use one of their names.`;
    if (!(await fits(folder, limits.snapshotBytes)))
      return `A snapshot has at most ${limits.snapshotBytes / mebibyte} MiB.`;
    await mkdir(place, { recursive: true, mode: 0o700 });
    const { bavail, bsize } = await statfs(place);
    if (bavail * bsize < limits.freeDiskBytes + limits.snapshotBytes)
      return 'The disk of the server is nearly full.';
    const part = join(place, `.${name}`);
    await clear(part);
    await copy(folder, part);
    await clear(join(place, name));
    await rename(part, join(place, name));
    return null;
  };
  const list = async (place: string): Promise<string> => {
    const all = await Promise.all(
      (await listed(place)).map(async (name) => ({ name, at: (await stat(join(place, name))).ctime })),
    );
    const lines = all
      .toSorted((a, b) => a.at.getTime() - b.at.getTime())
      .map(({ name, at }) => `${name} (${at.toISOString()})`);
    return lines.length === 0 ? 'There are no snapshots.' : lines.join('\n');
  };

  const restore = async (place: string, name: string, replace: (by: string) => Promise<void>) => {
    if (!(await listed(place)).includes(name)) return `There is no snapshot ${name}.`;
    const part = join(place, '.restored');
    await clear(part);
    await copy(join(place, name), part);
    await replace(part);
    return null;
  };

  /** Runs one of `snapshotTools`. `place`: where the copies of the folder are. */
  return async (call: { tool: string; arguments: unknown }, at: Places): Promise<ToolResult> => {
    const { folder, place, replace } = at;
    if (call.tool === 'list_snapshots') return said(await list(place));
    const read = named.safeParse(call.arguments);
    if (!read.success)
      return failed('A name has 1 to 64 letters, digits, "_" and "-", and begins with a letter or digit.');
    const { name } = read.data;
    if (call.tool === 'restore_snapshot') {
      const problem = await restore(place, name, replace);
      return problem === null ? said(`All files are those of ${name}.`) : failed(problem);
    }
    const problem = await save(folder, place, name).catch((error: unknown) => {
      if (hasCode(error, 'EACCES')) return 'A file or folder is closed to reading.';
      if (hasCode(error, 'ENAMETOOLONG')) return 'A path is too long to be copied.';
      throw error;
    });
    return problem === null ? said(`Kept as ${name}.`) : failed(problem);
  };
};
