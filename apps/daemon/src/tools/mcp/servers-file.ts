import { join } from 'node:path';
import type { Clock } from '@drawbridge/kit';
import { z } from 'zod';
import { serversFileName } from '../../paths/server-programs.ts';
import { tagVariable } from '../../processes/process-tree.ts';
import { openPrivateFolder, readPrivateFile, writePrivateFile } from '../../private-files/private-folder.ts';
import { parsePrivateJson } from '../../private-files/private-json.ts';
import { whileLocked } from '../../private-files/settings-lock.ts';
import { watchFile } from '../../private-files/watch-file.ts';

export const maxServers = 32;

const withoutNul = (text: string) => !text.includes('\0');
const text = z.string().max(32_768).refine(withoutNul, 'has a NUL in it');

export const mcpServerName = z
  .string()
  .regex(/^[a-z0-9-]{1,32}$/, 'use a-z, 0-9 and -, at most 32 characters');

const variable = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, 'is not the name of a variable')
  .refine((name) => name !== tagVariable, 'is used by drawbridge itself');

/** How a server is started: a program with arguments, without a shell, and extra environment variables. */
export const mcpServer = z.strictObject({
  command: text.min(1),
  args: z.array(text).max(256).default([]),
  env: z.record(variable, text).default({}),
  /** SHA-256 of the files that it starts, by path, as the person confirmed them. */
  programs: z.record(z.string().max(4_096), z.string().regex(/^[0-9a-f]{64}$/)).optional(),
});
export type McpServer = z.infer<typeof mcpServer>;

const mcpServersFile = z.strictObject({
  version: z.literal(1),
  servers: z
    .record(mcpServerName, mcpServer)
    .refine((servers) => Object.keys(servers).length <= maxServers, `at most ${maxServers} servers`),
});

/** Opens `mcp-servers.json` in the private folder (0700, file 0600). */
export const openMcpServers = async (folder: string, clock: Clock) => {
  const realFolder = await openPrivateFolder(folder);
  const name = serversFileName;
  const path = join(realFolder, name);

  const read = async (): Promise<ReadonlyMap<string, McpServer>> => {
    const content = await readPrivateFile(path);
    if (content === undefined) return new Map();
    return new Map(Object.entries(parsePrivateJson(content, { path, schema: mcpServersFile }).servers));
  };
  const write = (servers: ReadonlyMap<string, McpServer>) => {
    const file = mcpServersFile.parse({ version: 1, servers: Object.fromEntries(servers) });
    return writePrivateFile(path, `${JSON.stringify(file, null, 2)}\n`);
  };

  /** Two processes that change the file at once lose nothing. */
  const change = <T>(run: () => Promise<T>) => whileLocked({ folder: realFolder, clock }, run);

  return {
    /** As the file has them now. `settingsBroken` where it cannot be understood. */
    read,
    /** Adds one, or puts it in the place of the one of that name. It is on disk when this resolves. */
    add: (name: string, server: McpServer) =>
      change(async () => write(new Map(await read()).set(name, server))),
    remove: (name: string) =>
      change(async () => {
        const servers = new Map(await read());
        if (!servers.delete(name)) return false;
        await write(servers);
        return true;
      }),
    /** Calls when the file has changed; gives a function that stops it. */
    watch: (listen: () => void) => watchFile({ folder: realFolder, name, clock }, listen),
  };
};

export type McpServers = Awaited<ReturnType<typeof openMcpServers>>;
