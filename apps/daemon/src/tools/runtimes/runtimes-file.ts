import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { runtimeId } from '@drawbridge/contracts/machines/runtimes';
import type { Clock } from '@drawbridge/kit';
import { z } from 'zod';
import { pickEnvironment } from '../../config.ts';
import { tagVariable } from '../../processes/process-tree.ts';
import { openPrivateFolder, readPrivateFile, writePrivateFile } from '../../private-files/private-folder.ts';
import { parsePrivateJson } from '../../private-files/private-json.ts';
import { whileLocked } from '../../private-files/settings-lock.ts';
import { watchFile } from '../../private-files/watch-file.ts';

const fileName = 'runtimes.json';
const maxRuntimes = 16;

const text = z
  .string()
  .max(4_096)
  .refine((value) => !value.includes('\0'), 'has a NUL in it');
const place = text.refine((path) => isAbsolute(path) || path.startsWith('~/'), 'must be absolute');

const variable = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, 'is not the name of a variable')
  .refine((name) => name !== tagVariable, 'is used by drawbridge itself');

/** How a coding agent is started in its walls. Only the owner of the machine writes this file. */
export const runtime = z.strictObject({
  /** For people: `Gemini CLI`. */
  title: z.string().min(1).max(64),
  /** An absolute path, started without a shell. */
  command: text.refine(isAbsolute, 'must be absolute'),
  args: z.array(text).max(64).default([]),
  /** What it speaks on its standard input and output. */
  protocol: z.enum(['acp', 'claude', 'codex', 'pi']).default('acp'),
  /** Hosts that it connects to, as commands name them. */
  hosts: z.array(z.string().min(1).max(300)).max(16).default([]),
  /** Variables that it gets with this value. */
  env: z.record(variable, text).default({}),
  /** Variables that it gets as drawbridge has them, such as a key. */
  passedVariables: z.array(variable).max(32).default([]),
  /** Folders of its own: what it writes there is kept by drawbridge, apart from the person's. */
  folders: z.array(place).max(16).default([]),
  /** Folders that are empty at each start: settings there would change what it asks about next time. */
  fresh: z.array(place).max(16).default([]),
  /** The person's own files that it reads, and those of its login, which it also writes. */
  reads: z.array(place).max(16).default([]),
  writes: z.array(place).max(16).default([]),
  /** The mode in which it asks before it acts; null for a program without modes. */
  mode: z.string().max(64).nullable().default('default'),
  /** Names in the shared folder with which it is not started: they would run without a question. */
  refusesFolders: z.array(z.string().max(200)).max(16).default([]),
  /** Whether it loads its sessions again; else each turn is a new one. */
  continues: z.boolean().default(true),
});
export type Runtime = z.infer<typeof runtime>;

const runtimesFile = z.strictObject({
  version: z.literal(1),
  runtimes: z
    .record(runtimeId, runtime)
    .refine((all) => Object.keys(all).length <= maxRuntimes, `at most ${maxRuntimes} coding agents`),
});

/** The variables that it is started with, beside those of every command. */
export const environmentOf = ({
  passedVariables,
  env,
}: Pick<Runtime, 'passedVariables' | 'env'>): Record<string, string> => ({
  ...pickEnvironment(passedVariables.join(' ')),
  ...env,
});

/** `~/x` as a path. */
export const expand = (path: string): string =>
  path.startsWith('~/') ? join(homedir(), path.slice(2)) : path;

/** Opens `runtimes.json` in the private folder (0700, file 0600). */
export const openRuntimes = async (folder: string, clock: Clock) => {
  const realFolder = await openPrivateFolder(folder);
  const path = join(realFolder, fileName);

  const read = async (): Promise<ReadonlyMap<string, Runtime>> => {
    const content = await readPrivateFile(path);
    if (content === undefined) return new Map();
    return new Map(Object.entries(parsePrivateJson(content, { path, schema: runtimesFile }).runtimes));
  };
  const change = <T>(edit: (runtimes: Map<string, Runtime>) => T): Promise<T> =>
    whileLocked({ folder: realFolder, clock }, async () => {
      const runtimes = new Map(await read());
      const given = edit(runtimes);
      const file = runtimesFile.parse({ version: 1, runtimes: Object.fromEntries(runtimes) });
      await writePrivateFile(path, `${JSON.stringify(file, null, 2)}\n`);
      return given;
    });

  return {
    /** As the file has them now. `settingsBroken` where it cannot be understood. */
    read,
    /** Adds one, or puts it in the place of the one of that name. It is on disk when this resolves. */
    add: (id: string, added: Runtime) => change((runtimes) => void runtimes.set(id, added)),
    /** Whether there was one. */
    remove: (id: string) => change((runtimes) => runtimes.delete(id)),
    /** Writes the file again: each daemon ends its turns when the file changes. */
    stop: () => change((runtimes) => [...runtimes.keys()]),
    /** Calls when the file has changed; gives a function that stops it. */
    watch: (listen: () => void) => watchFile({ folder: realFolder, name: fileName, clock }, listen),
  };
};
