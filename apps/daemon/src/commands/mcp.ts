import { resolve } from 'node:path';
import { systemClock, visible } from '@drawbridge/kit';
import type { Command } from 'commander';
import type { z } from 'zod';
import { ownCommand } from '../program/own-command.ts';
import { mcpServer, mcpServerName, openMcpServers, withPrograms, type McpServer } from '../tools/index.ts';
import { inWords, jsonFlag, type Answer, type AnswerWith, type CommandContext } from './common/command.ts';
import { errors } from './common/errors.ts';

const examples = `
The server is started without a shell, in a folder of drawbridge's own, with a small environment and what --env names.
Its tools are in the group mcp: each is asked about until you allow it.

Examples:
  $ drawbridge mcp add files -- npx -y @modelcontextprotocol/server-filesystem ~/notes
  $ drawbridge mcp add tracker --env TRACKER_KEY=… -- tracker-mcp --read-only
  $ drawbridge mcp remove files`;

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

const open = ({ environment }: CommandContext) => openMcpServers(environment.privateFolder, systemClock);

const add = async (
  name: string,
  { words, env }: { words: readonly string[]; env: readonly string[] },
  context: CommandContext,
): Promise<Answer> => {
  const [command, ...args] = words.map((word) => absolute(word, process.cwd()));
  const server = read(
    mcpServer,
    { command, args, env: Object.fromEntries(env.map(readVariable)) },
    'The server',
  );
  const servers = await open(context);
  const validName = read(mcpServerName, name, 'The name');
  const before = (await servers.read()).has(validName);
  await servers.add(validName, await withPrograms(server, context.environment.privateFolder));
  return inWords(
    `${before ? 'replaced' : 'added'}  ${show(validName, server)}`,
    `next      A running drawbridge starts it now; ${ownCommand('doctor')} says whether it starts.`,
  );
};

const list = async (context: CommandContext): Promise<Answer> => {
  const servers = [...(await (await open(context)).read())];
  const none = `There are no MCP servers. See ${ownCommand('mcp add --help')}.`;
  return {
    text: () => (servers.length === 0 ? [none] : servers.map(([name, server]) => show(name, server))),
    // Values of variables are often keys.
    json: servers.map(([name, { command, args, env }]) => ({ name, command, args, env: Object.keys(env) })),
    code: 0,
  };
};

const unknownServer = (name: string) =>
  errors.wrongUse({
    message: `There is no MCP server ${visible(name)}`,
    fix: `See ${ownCommand('mcp list')}.`,
  });

/** Takes the files that a server starts as they are now; a running daemon starts it again. */
const confirmPrograms = async (name: string, context: CommandContext): Promise<Answer> => {
  const servers = await open(context);
  const server = (await servers.read()).get(name);
  if (server === undefined) throw unknownServer(name);
  const confirmed = await withPrograms(server, context.environment.privateFolder);
  await servers.add(name, confirmed);
  const files = Object.keys(confirmed.programs ?? {}).map(visible);
  return inWords(
    `confirmed  ${visible(name)}: ${files.length === 0 ? 'it starts no file' : files.join(', ')}`,
  );
};

const remove = async (name: string, context: CommandContext): Promise<Answer> => {
  if (await (await open(context)).remove(name)) return inWords(`removed  ${visible(name)}`);
  throw unknownServer(name);
};

const collect = (value: string, all: readonly string[]): string[] => [...all, value];

/** `drawbridge mcp`: the MCP servers of this machine. A running daemon picks up changes itself. */
export const addMcp = (program: Command, answer: AnswerWith): void => {
  const command = program.command('mcp').description('MCP servers of this machine whose tools are offered');
  command
    .command('add')
    .description('add a server that uses stdin and stdout')
    .argument('<name>', 'a-z, 0-9 and -: its tools are called <name>__<tool>')
    .argument('<command...>', 'the program and its arguments, after --')
    .option('--env <KEY=VALUE>', 'a variable of its environment; may be repeated', collect, [])
    .addHelpText('after', examples)
    .action((name: string, words: string[], { env }: { env: string[] }) =>
      answer({}, (context) => add(name, { words, env }, context)),
    );
  command
    .command('list', { isDefault: true })
    .description('list them; values of variables are not shown')
    .option(...jsonFlag)
    .addHelpText('after', '\nExample:\n  $ drawbridge mcp list --json')
    .action((options: { json?: boolean }) => answer(options, list));
  command
    .command('confirm')
    .description('start it again after you have changed the files that it starts')
    .argument('<name>')
    .addHelpText('after', '\nExample:\n  $ drawbridge mcp confirm files')
    .action((name: string) => answer({}, (context) => confirmPrograms(name, context)));
  command
    .command('remove')
    .description('remove one')
    .argument('<name>')
    .addHelpText('after', '\nExample:\n  $ drawbridge mcp remove files')
    .action((name: string) => answer({}, (context) => remove(name, context)));
};
