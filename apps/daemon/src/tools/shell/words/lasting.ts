import { isKnownCommand, isReader } from '../../../permission/index.ts';
import { words } from '../../../text/words.ts';
import type { ToolContext } from '../../common/tool.ts';
import { literalCommands, type LiteralCommand } from './literal-commands.ts';
import { isComparedScript } from './named-scripts.ts';

/** Beside those that read: their words name data, and none of them starts another program. */
const writers = new Set(words('mkdir rmdir touch cp mv rm ln chmod tee truncate'));
const harmless = new Set(
  words('cd echo printf true false pwd date uname which tree jq uniq sleep seq test [ id whoami'),
);
const gitChanges = new Set(
  words('commit checkout switch restore reset stash merge tag init rm mv revert cherry-pick clean'),
);

/** Options of an interpreter that bring no program of their own. */
const plainOptions: Record<string, RegExp> = {
  ...Object.fromEntries(words('sh bash dash zsh ksh ash').map((name) => [name, /^-[eux]+$/])),
  ...Object.fromEntries(words('python python3').map((name) => [name, /^-[uBEsI]+$/])),
};
const interpreters = new Set(
  words('sh bash dash zsh ksh ash node bun tsx python python3 perl ruby php lua . source'),
);

/** What installs packages by name, or those that the folder lists. */
const installs: Partial<Record<string, ReadonlySet<string>>> = {
  npm: new Set(words('ci install i add')),
  pnpm: new Set(words('install i add fetch')),
  yarn: new Set(words('install add')),
  pip: new Set(['install']),
  pip3: new Set(['install']),
  cargo: new Set(words('fetch add')),
};
const packageName = /^(@[a-z0-9._-]+\/)?[a-z0-9][a-z0-9._-]*([@=]=?[a-z0-9.^~-]+)?$/i;
const installOption =
  /^(-[DErU]|--(help|frozen-lockfile|immutable|ignore-scripts|save-dev|no-audit|no-fund|prefer-offline|upgrade))$/;

const isInstall = ([program = '', command = '', ...rest]: readonly string[]): boolean =>
  installs[program]?.has(command) === true &&
  rest.every((word) => packageName.test(word) || installOption.test(word));

type IsScript = (word: string) => boolean;
type Kind = 'reads' | 'writes' | 'runs' | 'script';

/** A script of the folder, as itself or as the first word after an interpreter and its plain options. */
const runsScript = (isScript: IsScript, [program = '', ...rest]: readonly string[]): boolean => {
  if (program.includes('/')) return isScript(program);
  if (!interpreters.has(program)) return false;
  const first = rest.find((word) => plainOptions[program]?.test(word) !== true);
  return first !== undefined && !first.startsWith('-') && isScript(first);
};

const kindOf = (isScript: IsScript, command: LiteralCommand): Kind | undefined => {
  const [program = '', first = ''] = command.words;
  if (runsScript(isScript, command.words)) return 'script';
  if (writers.has(program)) return 'writes';
  if (program === 'git' && gitChanges.has(first) && isKnownCommand(['git', 'add', ...command.words.slice(2)]))
    return 'writes';
  if (isReader(program) || harmless.has(program)) return command.writes ? 'writes' : 'reads';
  if (isInstall(command.words)) return 'runs';
  if (program === 'make' || !isKnownCommand(command.words)) return undefined;
  return program === 'git' ? 'reads' : 'runs';
};

/**
 * Whether a permission for a command may last beyond the session: each word stands for itself, each program
 * is known or a script whose content is compared, and nothing that it writes is run by it.
 */
export const mayLast = (context: ToolContext, folder: string, text: string): boolean => {
  const commands = literalCommands(text);
  if (commands === undefined || commands.length === 0) return false;
  const isScript = (word: string) => isComparedScript(context, { folder, text }, word);
  const kinds = commands.map((command) => kindOf(isScript, command));
  if (kinds.includes('script')) return kinds.length === 1;
  const writes = kinds.includes('writes') || commands.some((command) => command.writes);
  return !kinds.includes(undefined) && !(writes && kinds.includes('runs'));
};
