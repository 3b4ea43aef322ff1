import { Command, Option } from 'commander';
import { ownCommand } from '../program/own-command.ts';
import { jsonFlag, type AnswerWith } from './common/context.ts';
import { addDisconnect } from './disconnect.ts';
import { addDoctor } from './doctor.ts';
import { addBrowser, addInsecure, addKeyStore, addModes } from './common/flags.ts';
import { addLogs } from './logs.ts';
import { addInstall } from './installation/install.ts';
import type { McpActions } from './mcp.ts';
import { addPermissions } from './permissions/permissions-command.ts';
import type { PermissionsActions } from './permissions/permissions.ts';
import type { ParsedLine } from './common/options.ts';
import { addPair } from './pair.ts';
import { addService } from './installation/service.ts';
import { addStatus } from './status.ts';
import { addTools } from './tools.ts';
import { addUninstall } from './installation/uninstall.ts';
import { addUpdate } from './installation/update.ts';

const examples = `
Examples:
  Connect with the command that the panel shows
    $ drawbridge https://bridge.example.org gw_… ~/projects/site

  Reconnect with the last session
    $ drawbridge connect

  List the permanent rules, and remove one
    $ drawbridge permissions
    $ drawbridge permissions remove 2

  Check the connection, and what is missing
    $ drawbridge status
    $ drawbridge doctor

Every flag can be set in the environment: DRAWBRIDGE_URL, DRAWBRIDGE_TOKEN, DRAWBRIDGE_DIR,
DRAWBRIDGE_NON_INTERACTIVE, DRAWBRIDGE_CONFIRM, DRAWBRIDGE_ALLOW_INSECURE_HTTP, DRAWBRIDGE_KEY_STORE,
DRAWBRIDGE_INSTALL, DRAWBRIDGE_DANGEROUSLY_DISABLE_SHELL_SANDBOX, DRAWBRIDGE_BROWSER and
DRAWBRIDGE_PERMISSION_<GROUP>, for example DRAWBRIDGE_PERMISSION_SHELL=ask.`;

const connectExamples = `
Examples:
  $ drawbridge connect
  $ drawbridge connect https://bridge.example.org gw_… --dir ~/projects/site --read-only`;

export interface Actions {
  connect(line: ParsedLine): Promise<void>;
  permissions(run: (permissions: PermissionsActions) => Promise<string>): Promise<void>;
  mcp(run: (mcp: McpActions) => Promise<string>): Promise<void>;
  answer: AnswerWith;
}

const mcpExamples = `
The server is started without a shell, in a folder of drawbridge's own, with a small environment and what --env names.
Its tools are in the group mcp: each is asked about until you allow it.

Examples:
  $ drawbridge mcp add files -- npx -y @modelcontextprotocol/server-filesystem ~/notes
  $ drawbridge mcp add tracker --env TRACKER_KEY=… -- tracker-mcp --read-only
  $ drawbridge mcp remove files`;

const collect = (value: string, all: readonly string[]): string[] => [...all, value];

const addMcp = (program: Command, actions: Actions): void => {
  const command = program.command('mcp').description('MCP servers of this machine whose tools are offered');
  command
    .command('add')
    .description('add a server that uses stdin and stdout')
    .argument('<name>', 'a-z, 0-9 and -: its tools are called <name>__<tool>')
    .argument('<command...>', 'the program and its arguments, after --')
    .option('--env <KEY=VALUE>', 'a variable of its environment; may be repeated', collect, [])
    .addHelpText('after', mcpExamples)
    .action((name: string, words: string[], { env }: { env: string[] }) =>
      actions.mcp((mcp) => mcp.add(name, words, { env, cwd: process.cwd() })),
    );
  command
    .command('list')
    .description('list them; values of variables are not shown')
    .option(...jsonFlag)
    .addHelpText('after', '\nExample:\n  $ drawbridge mcp list --json')
    .action((options: { json?: boolean }) => actions.mcp((mcp) => mcp.list(options)));
  command
    .command('remove')
    .description('remove one')
    .argument('<name>')
    .addHelpText('after', '\nExample:\n  $ drawbridge mcp remove files')
    .action((name: string) => actions.mcp((mcp) => mcp.remove(name)));
};

/** Help names the program as it is called here; nothing in it comes from elsewhere. */
const inOwnForm = (help: string): string => {
  const own = ownCommand();
  return own === 'drawbridge'
    ? help
    : help.replace(/^(Usage: | *\$ |next   See | {7})drawbridge\b/gm, `$1${own}`);
};

/** The command line for commander. `connect` also runs for a bare address. */
export const createProgram = (version: string, actions: Actions): Command => {
  const program = new Command('drawbridge')
    .description('Offers the tools of this machine to a Drawbridge server, within what you allow.')
    .usage('<url> <token> [dir] [options]\n       drawbridge connect [url] [token] [options]')
    .version(version)
    .addHelpText('after', examples)
    .showHelpAfterError('next   See drawbridge --help.')
    .configureOutput({
      writeOut: (text) => void process.stdout.write(inOwnForm(text)),
      writeErr: (text) => void process.stderr.write(inOwnForm(text)),
      outputError: (text, write) => write(text.replace(/^error: /, 'error  ')),
    })
    .exitOverride();

  const command = program
    .command('connect', { isDefault: true })
    .description('connect this machine; without arguments, reconnect with the last session')
    .argument('[url]', 'address of the server')
    .argument('[token]', 'pairing token from the panel')
    .argument('[dir]', 'the folder that file tools work in')
    .option('--dir <folder>', 'the folder that file tools work in (default: the current one)')
    .option('--non-interactive', 'start without asking')
    .addOption(
      new Option('--confirm <where>', 'where questions are asked (default: panel)').choices([
        'panel',
        'terminal',
      ]),
    )
    .option('--install', 'install drawbridge for this user without asking')
    .option('--no-install', 'do not offer to install it')
    .option('--dangerously-disable-shell-sandbox', 'let commands do whatever you can do')
    .action((url?: string, token?: string, dir?: string) =>
      actions.connect({ url, token, dir, flags: command.opts() }),
    );

  addInsecure(command);
  addKeyStore(command);
  addBrowser(command);
  addModes(command).addHelpText('after', connectExamples);

  addPair(program, actions.answer);
  addInstall(program, actions.answer);
  addUpdate(program, actions.answer);
  addUninstall(program, actions.answer);
  addDisconnect(program, actions.answer);
  addStatus(program, actions.answer);
  addTools(program, actions.answer);
  addLogs(program, actions.answer);
  addDoctor(program, actions.answer);
  addService(program, actions.answer);

  addPermissions(program, actions.permissions);
  addMcp(program, actions);

  // The bare form takes what `connect` takes, so its help says so.
  return program.configureHelp({
    visibleOptions: () => [
      ...command.options,
      ...program.options,
      new Option('-h, --help', 'show this help'),
    ],
  });
};
