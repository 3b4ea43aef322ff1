import { Command, Help, Option } from 'commander';
import { ownCommand } from '../program/own-command.ts';
import { wrapLine } from '../text/wrap.ts';
import type { AnswerWith } from './common/command.ts';
import { addBrowser, addInsecure, addKeyStore, addLink, addModes } from './common/flags.ts';
import { meantBy } from './common/meant.ts';
import type { ParsedLine } from './common/options.ts';

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

Every flag can be set in the environment: DRAWBRIDGE_URL, DRAWBRIDGE_TOKEN,
DRAWBRIDGE_DIR, DRAWBRIDGE_NAME, DRAWBRIDGE_NON_INTERACTIVE, DRAWBRIDGE_CONFIRM,
DRAWBRIDGE_ALLOW_INSECURE_HTTP, DRAWBRIDGE_KEY_STORE, DRAWBRIDGE_INSTALL,
DRAWBRIDGE_DANGEROUSLY_DISABLE_SHELL_SANDBOX, DRAWBRIDGE_BROWSER,
DRAWBRIDGE_LINK, and DRAWBRIDGE_PERMISSION_<GROUP>, for example
DRAWBRIDGE_PERMISSION_SHELL=ask.`;

const connectExamples = `
Examples:
  $ drawbridge connect
  $ drawbridge connect https://bridge.example.org gw_… --dir ~/site --read-only`;

export interface Actions {
  connect(line: ParsedLine): Promise<void>;
  answer: AnswerWith;
}

/** Help names the program as it is called here; nothing in it comes from elsewhere. */
const inOwnForm = (help: string): string => {
  const own = ownCommand();
  return own === 'drawbridge'
    ? help
    : help.replace(/^(Usage: | *\$ |next   See | {7})drawbridge\b/gm, `$1${own}`);
};

const plainColumns = 80;
/** Where a description has less room it stands on lines of its own. */
const minWidthToWrap = 20;

/** A command to copy stays on one line. */
const toWidth = (text: string, columns: number | undefined): string =>
  text
    .split('\n')
    .map((line) => (/^ *\$ /.test(line) ? line : wrapLine(line, columns ?? plainColumns)))
    .join('\n');

/** What commander says of a wrong argument, in the words of the rest of the program. */
const inOwnWords = (error: string): string =>
  error
    .replace(/^error: /, 'error  ')
    .replace(/command-argument value '(.*)' is invalid for argument '<?(\w+)>?'\./, "There is no $2 '$1'.")
    .replace(/option '(?:-\w, )?(--[\w-]+)[^']*' argument '(.*)' is invalid\./, "$1 cannot be '$2'.")
    .replace(/missing required argument '(.*)'/, "The argument '$1' is missing.")
    .replace(/unknown option '(.*)'/, "There is no option '$1'.")
    .replace(/unknown command '(.*)'/, "There is no command '$1'.")
    .replace(/option '(.*)' argument missing/, "The option '$1' needs a value.")
    .replace(/too many arguments for '(.*)'\. .*/, "There are too many arguments for '$1'.")
    .replace(/ Allowed choices are (.*)\.$/m, '\nnext   Use one of $1.');

/** In the form of commander's own. */
const suggestion = (word: string, { commands }: Command): string => {
  const meant = meantBy(
    word,
    commands.map((one) => one.name()),
  );
  return meant === undefined ? '' : `\n(Did you mean ${meant}?)`;
};

/** A word that names none of its commands is not an argument of the default one. */
const refuseUnknown = (group: Command, chosen: Command): void => {
  const [word] = group.args;
  if (word !== undefined && word !== chosen.name() && !word.startsWith('-'))
    group.error(`error: unknown command '${word}'${suggestion(word, group)}`);
};

/** A wrong argument leads to the help of its own command. */
const leadToHelp = (command: Command, path: string): void => {
  command.showHelpAfterError(`next   See ${path} --help.`);
  for (const one of command.commands) {
    if (one.commands.length > 0) one.hook('preSubcommand', refuseUnknown);
    leadToHelp(one, `${path} ${one.name()}`);
  }
};

const alone = new Set(['connect', '--version', '-V']);

/** Whether these words run `connect` or show the version: then no other command is loaded. */
const needsNoOther = ([first = '', ...others]: readonly string[]): boolean =>
  alone.has(first) || (/^https?:/.test(first) && !others.some((word) => word === '-h' || word === '--help'));

/** The command line for commander, for `words`. `connect` also runs for a bare address. */
export const createProgram = async (
  version: string,
  { connect, answer }: Actions,
  words: readonly string[],
): Promise<Command> => {
  const program = new Command('drawbridge')
    .description('Offers the tools of this machine to a Drawbridge server, within what you allow.')
    .usage('<url> <token> [dir] [options]\n       drawbridge connect [url] [token] [options]')
    .version(version)
    .addHelpText('after', examples)
    .configureHelp({ minWidthToWrap })
    .configureOutput({
      writeOut: (text) => void process.stdout.write(toWidth(inOwnForm(text), process.stdout.columns)),
      writeErr: (text) => void process.stderr.write(toWidth(inOwnForm(text), process.stderr.columns)),
      outputError: (text, write) => write(inOwnWords(text)),
    })
    .exitOverride();

  const command = program
    .command('connect', { isDefault: true })
    .description('connect this machine; without arguments, reconnect with the last session')
    .argument('[url]', 'address of the server')
    .argument('[token]', 'pairing token from the panel')
    .argument('[dir]', 'the folder that file tools work in')
    .option('--dir <folder>', 'the folder that file tools work in (default: that of the last session)')
    .option('--name <name>', 'what this machine is called when it is paired (default: its host name)')
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
    .option('--offer-outside', 'let the agent ask to run a failed command once without the sandbox')
    .addOption(
      new Option('--closed <path>', 'a path that no tool touches; may be repeated')
        .argParser((path: string, all: string[] | undefined) => [...(all ?? []), path])
        .hideHelp(),
    )
    .action((url?: string, token?: string, dir?: string) =>
      connect({ url, token, dir, flags: command.opts() }),
    );

  addInsecure(command);
  addKeyStore(command);
  addBrowser(command);
  addLink(command);
  addModes(command).addHelpText('after', connectExamples);

  if (!needsNoOther(words)) {
    const { addOtherCommands } = await import('./other-commands.ts');
    addOtherCommands(program, answer);
  }

  leadToHelp(program, 'drawbridge');

  // The bare form takes what `connect` takes, so its help says so, below the commands.
  return program.configureHelp({
    minWidthToWrap,
    subcommandTerm: (one) => one.name(),
    formatHelp: (one, helper) => {
      const help = Help.prototype.formatHelp.call(helper, one, helper);
      const [options = ''] = /^Options:\n(?:.+\n)+\n/m.exec(help) ?? [];
      return `${help.replace(options, '')}\n${options.trimEnd()}\n`;
    },
    visibleOptions: () => [
      ...command.options.filter(({ hidden }) => !hidden),
      ...program.options,
      new Option('-h, --help', 'show this help'),
    ],
  });
};
