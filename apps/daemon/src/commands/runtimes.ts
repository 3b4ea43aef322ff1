import { runtimeId } from '@drawbridge/contracts/machines/runtimes';
import { systemClock, visible } from '@drawbridge/kit';
import type { Command } from 'commander';
import { findProgram } from '../paths/programs.ts';
import { openSettings } from '../permission/index.ts';
import { ownCommand } from '../program/own-command.ts';
import { knownRuntimes, openRuntimes, runtime, type Runtime } from '../tools/index.ts';
import { jsonFlag, type Answer, type AnswerWith, type CommandContext } from './common/command.ts';
import { errors } from './common/errors.ts';
import type { RuntimeState } from '../tools/runtimes/check.ts';

const examples = `
A coding agent runs in the sandbox for commands, in the shared folder, with your
own login. You are asked before it starts, and about its commands and changes.
No server can enable one.

Examples:
  $ drawbridge runtimes
  $ drawbridge runtimes enable gemini
  $ drawbridge runtimes test gemini
  $ drawbridge runtimes enable acp:mine --host api.example.org --login ~/.mine/auth.json -- mine --acp
  $ drawbridge runtimes stop
  $ drawbridge runtimes disable gemini`;

const open = ({ environment }: CommandContext) => openRuntimes(environment.privateFolder, systemClock);

const line = ({ enabled, path, version, signedIn, missing, fix }: RuntimeState): string => {
  const words = [
    enabled ? 'enabled' : 'not enabled',
    ...(path === null ? [] : [visible(path)]),
    ...(version === null ? [] : [`version ${version}`]),
    ...(signedIn === true ? ['signed in'] : []),
    ...(missing === null ? [] : [`${missing}${fix === null ? '' : `: run ${fix}`}`]),
  ];
  return words.join(', ');
};

const list = async (context: CommandContext): Promise<Answer> => {
  const enabled = await (await open(context)).read();
  const { runtimeStates } = await import('../tools/runtimes/check.ts');
  const states = await runtimeStates(enabled, { path: context.environment.path, startsAll: true });
  return {
    text: (row) => [
      ...states.map((state) => row(state.id, line(state), state.enabled ? 'green' : undefined)),
      states.every((state) => !state.enabled) &&
        row('next', `${ownCommand('runtimes enable <name>')} lets Drawbridge start one`),
    ],
    json: states,
    code: 0,
  };
};

const readId = (name: string): string => {
  if (!runtimeId.safeParse(name).success)
    throw errors.wrongUse({
      message: `${visible(name)} is no coding agent that is known here`,
      fix: `Names are ${Object.keys(knownRuntimes).join(', ')}, and acp:<name> for a program of your own.`,
    });
  return name;
};

interface Given {
  host: string[];
  folder: string[];
  login: string[];
  variable: string[];
}

const programOf = (name: string, { environment }: CommandContext): string => {
  const found = name.startsWith('/') ? name : findProgram(name, environment.path);
  if (found !== undefined) return found;
  const install = Object.values(knownRuntimes).find(({ program }) => program === name)?.install;
  throw errors.wrongUse({
    message: `${visible(name)} is not found`,
    fix: install === undefined ? 'Give its path.' : `Run ${install}.`,
  });
};

/** The entry of `runtimes.json`. */
const entryOf = (id: string, words: readonly string[], given: Given, context: CommandContext): Runtime => {
  const known = knownRuntimes[id];
  if (known !== undefined) {
    const {
      program,
      install: _install,
      signIn: _signIn,
      signedIn: _signedIn,
      oldest: _oldest,
      ...entry
    } = known;
    return runtime.parse({
      ...entry,
      command: programOf(words[0] ?? program, context),
      hosts: [...entry.hosts, ...given.host],
      folders: [...entry.folders, ...given.folder],
      writes: [...entry.writes, ...given.login],
      passedVariables: [...entry.passedVariables, ...given.variable],
    });
  }
  const [program, ...args] = words;
  if (program === undefined)
    throw errors.wrongUse({ message: `${id} needs its program and arguments, after --` });
  const parsed = runtime.safeParse({
    ...{ title: id.slice('acp:'.length), command: programOf(program, context), args },
    ...{ hosts: given.host, folders: given.folder, writes: given.login, passedVariables: given.variable },
  });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw errors.wrongUse({ message: `${issue?.path.join('.')}: ${issue?.message}` });
};

const enable = async (
  name: string,
  { words, given }: { words: readonly string[]; given: Given },
  context: CommandContext,
): Promise<Answer> => {
  const id = readId(name);
  const entry = entryOf(id, words, given, context);
  await (await open(context)).add(id, entry);
  const settings = await openSettings(context.environment.privateFolder, systemClock);
  await settings.activate(['runtime']);
  const isShellOff = settings.modes().shell === 'deny';
  return {
    text: (row) => [
      row('enabled', `${entry.title}: ${visible(entry.command)}`, 'green'),
      row('network', entry.hosts.length === 0 ? 'none' : entry.hosts.map(visible).join(', ')),
      isShellOff &&
        row(
          'note',
          `its commands are refused while shell is on deny: ${ownCommand('permissions set shell ask')}`,
        ),
      row('next', ownCommand(`runtimes test ${id}`)),
    ],
    json: null,
    code: 0,
  };
};

const disable = async (name: string, context: CommandContext): Promise<Answer> => {
  const runtimes = await open(context);
  if (!(await runtimes.remove(name)))
    throw errors.wrongUse({
      message: `${visible(name)} is not enabled`,
      fix: `See ${ownCommand('runtimes')}.`,
    });
  const isLast = (await runtimes.read()).size === 0;
  if (isLast)
    await (await openSettings(context.environment.privateFolder, systemClock)).setMode('runtime', 'deny');
  return { text: (row) => [row('disabled', visible(name))], json: null, code: 0 };
};

const stop = async (context: CommandContext): Promise<Answer> => {
  const enabled = await (await open(context)).stop();
  const names = enabled.length === 0 ? 'no coding agent is enabled' : enabled.map(visible).join(', ');
  return {
    text: (row) => [
      row('stopped', names),
      enabled.length > 0 &&
        row('next', `they stay enabled; ${ownCommand('runtimes disable <name>')} ends that`),
    ],
    json: { stopped: enabled },
    code: 0,
  };
};

const test = async (name: string, context: CommandContext): Promise<Answer> => {
  const entry = (await (await open(context)).read()).get(name);
  if (entry === undefined)
    throw errors.wrongUse({
      message: `${visible(name)} is not enabled`,
      fix: `See ${ownCommand('runtimes')}.`,
    });
  const { runtimeStates, tryRuntime } = await import('../tools/runtimes/check.ts');
  const { path, privateFolder } = context.environment;
  const states = await runtimeStates(new Map([[name, entry]]), { path, startsAll: false });
  // Some coding agents open a session without a login, and fail at their first task.
  const { missing = null, fix = null } = states.find(({ id }) => id === name) ?? {};
  const settings = await openSettings(privateFolder, systemClock);
  const tried = () =>
    tryRuntime(name, entry, { privateFolder: settings.folder, signal: context.signal }).then(
      () => null,
      (error: unknown) => (error instanceof Error ? error.message : 'it failed'),
    );
  const reason = missing ?? (await tried());
  const signIn = knownRuntimes[name]?.signIn;
  const next = fix ?? signIn;
  return {
    text: (row) => [
      reason === null
        ? row('works', `${entry.title} started in its sandbox and opened a session`, 'green')
        : row('failed', visible(reason), 'red'),
      reason !== null && next !== undefined && row('next', `run ${next}, outside of Drawbridge`),
    ],
    json: { works: reason === null, reason },
    code: reason === null ? 0 : 1,
  };
};

const collect = (value: string, all: readonly string[] = []): string[] => [...all, value];
const nothing: Given = { host: [], folder: [], login: [], variable: [] };

/** `drawbridge runtimes`: the coding agents that a server may start here, once the person has said yes. */
export const addRuntimes = (program: Command, answer: AnswerWith): void => {
  const command = program
    .command('runtimes')
    .description('coding agents that Drawbridge may start on this machine')
    .addHelpText('after', examples);
  command
    .command('list', { isDefault: true })
    .description('list them: found, version, signed in, and what is missing')
    .option(...jsonFlag)
    .action((options: { json?: boolean }) => answer(options, list));
  command
    .command('enable')
    .description('let Drawbridge start one')
    .argument(
      '<name>',
      `${Object.keys(knownRuntimes).join(', ')}, or acp:<name> for a program that speaks ACP`,
    )
    .argument('[command...]', 'its program and arguments, after --')
    .option('--host <host>', 'a host that it connects to; may be repeated', collect)
    .option('--folder <path>', 'a folder of its own outside of the shared one; may be repeated', collect)
    .option('--login <path>', 'a file of your login that it reads and writes; may be repeated', collect)
    .option('--variable <name>', 'a variable that it gets, such as a key; may be repeated', collect)
    .action((name: string, words: string[], given: Partial<Given>) =>
      answer({}, (context) => enable(name, { words, given: { ...nothing, ...given } }, context)),
    );
  command
    .command('test')
    .description('start one in its sandbox, without a task')
    .argument('<name>')
    .option(...jsonFlag)
    .action((name: string, options: { json?: boolean }) => answer(options, (context) => test(name, context)));
  command
    .command('stop')
    .description('end what all of them do now; they stay enabled')
    .option(...jsonFlag)
    .action((options: { json?: boolean }) => answer(options, stop));
  command
    .command('disable')
    .description('no longer start it; its files stay')
    .argument('<name>')
    .action((name: string) => answer({}, (context) => disable(name, context)));
};
