import { resolve } from 'node:path';
import { systemClock, visible } from '@drawbridge/kit';
import type { z } from 'zod';
import { ownCommand } from '../program/own-command.ts';
import { mcpServer, mcpServerName, openMcpServers, type McpServer, type McpServers } from '../tools/index.ts';
import { errors } from './common/errors.ts';

export interface McpActions {
  /** `env`: `KEY=VALUE` each. `cwd`: what `./` and `../` at the beginning of a word are meant from. */
  add(
    name: string,
    words: readonly string[],
    context: { env: readonly string[]; cwd: string },
  ): Promise<string>;
  list(options: { json?: boolean }): Promise<string>;
  remove(name: string): Promise<string>;
}

const read = <T>(schema: z.ZodType<T>, value: unknown, what: string): T => {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const place = issue === undefined || issue.path.length === 0 ? '' : ` (${issue.path.join('.')})`;
  throw errors.wrongUse({
    message: `${what}${place}: ${issue?.message ?? 'is not valid'}`,
    fix: `See ${ownCommand('mcp add --help')}.`,
  });
};

const readVariable = (pair: string): [string, string] => {
  const at = pair.indexOf('=');
  // The value may be a secret: it is not repeated.
  if (at < 1)
    throw errors.wrongUse({ message: '--env needs KEY=VALUE', fix: `See ${ownCommand('mcp add --help')}.` });
  return [pair.slice(0, at), pair.slice(at + 1)];
};

/** A server is started in a folder of the daemon's own: a path that is meant from here must say so. */
const absolute = (word: string, cwd: string): string => (/^\.\.?\//.test(word) ? resolve(cwd, word) : word);

const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word));

/** Values of variables are not shown: they are often keys. */
const show = (name: string, { command, args, env }: McpServer): string =>
  visible(
    [name.padEnd(16), ...Object.keys(env).map((key) => `${key}=…`), ...[command, ...args].map(quoted)].join(
      ' ',
    ),
  );

const add = async (servers: McpServers, name: string, server: McpServer): Promise<string> => {
  const before = (await servers.read()).has(name);
  await servers.add(name, server);
  return `${before ? 'replaced' : 'added'}  ${show(name, server)}`;
};

/** `drawbridge mcp`: the MCP servers of this machine, as text. A running daemon picks up changes itself. */
export const mcp = (folder: string): McpActions => ({
  add: async (name, words, { env, cwd }) => {
    const [command, ...args] = words.map((word) => absolute(word, cwd));
    const server = read(
      mcpServer,
      { command, args, env: Object.fromEntries(env.map(readVariable)) },
      'The server',
    );
    return add(await openMcpServers(folder, systemClock), read(mcpServerName, name, 'The name'), server);
  },
  list: async ({ json = false }) => {
    const servers = await (await openMcpServers(folder, systemClock)).read();
    if (json) {
      // Values of variables are often keys.
      const shown = [...servers].map(([name, { command, args, env }]) => ({
        name,
        command,
        args,
        env: Object.keys(env),
      }));
      return JSON.stringify(shown, null, 2);
    }
    if (servers.size === 0) return `There are no MCP servers. Add one with ${ownCommand('mcp add')}.`;
    return [...servers].map(([name, server]) => show(name, server)).join('\n');
  },
  remove: async (name) => {
    if (await (await openMcpServers(folder, systemClock)).remove(name)) return `removed  ${visible(name)}`;
    throw errors.wrongUse({
      message: `There is no MCP server ${visible(name)}`,
      fix: `See ${ownCommand('mcp list')}.`,
    });
  },
});
