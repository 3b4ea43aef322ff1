import { CommanderError } from 'commander';
import { expect, it } from 'vitest';
import { configRows } from '../config.ts';
import { createProgram, type Actions } from './program.ts';

/** What one line calls, or the exit code and the sentence with which it is refused. */
const read = async (...args: string[]) => {
  const called: unknown[] = [];
  const printed: string[] = [];
  const names = [
    'start',
    'listUsers',
    'resetPassword',
    'disableUser',
    'enableUser',
    'listMachines',
    'renameMachine',
    'setDefaultMachine',
    'disconnectMachine',
    'forgetMachine',
    'createToken',
    'backUp',
    'restore',
    'doctor',
  ] as const satisfies (keyof Actions)[];
  const action = (name: string) => async (input: unknown) =>
    void called.push(input === undefined ? [name] : [name, input]);
  const actions = Object.fromEntries(names.map((name) => [name, action(name)]));
  const program = createProgram('1.2.3', actions as unknown as Actions);
  const quiet = { writeErr: (text: string) => void printed.push(text), writeOut: () => {} };
  for (const one of [program, ...program.commands.flatMap((each) => [each, ...each.commands])])
    one.configureOutput(quiet).exitOverride();
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? ['help'] : ['wrong', printed.join('')];
  }
  return called[0];
};

const create = (...more: string[]) => ['token', 'create', '--user', 'ann@example.org', ...more];
const machines = (name: string, ...more: string[]) => [
  'machines',
  name,
  '--user',
  'ann@example.org',
  ...more,
];
const desk = { email: 'ann@example.org', machine: 'desk' };
const wrong = (sentence: string) => ['wrong', expect.stringContaining(sentence)];
const created = (change: object = {}, json = false, machines: string[] | null = null) => [
  'createToken',
  {
    email: 'ann@example.org',
    input: { name: 'Desk', scopes: ['filesystemRead'], expiresInDays: 90, ...change },
    machines,
    json,
  },
];

const helpOf = (columns?: number): string => {
  let help = '';
  createProgram('1.2.3', {} as Actions)
    .configureOutput({
      writeOut: (text) => (help += text),
      ...(columns !== undefined && { getOutHelpWidth: () => columns }),
    })
    .outputHelp();
  return help;
};

it('prints every variable with its default, and cuts no word at the edge of a terminal', () => {
  for (const { name, fallback } of configRows())
    expect(helpOf()).toContain(fallback === null ? name : `Default: ${fallback}`);
  const lines = helpOf(80).split('\n');
  expect(lines.filter((line) => line.length > 80 && / {2}\S+ +\S+ /.test(line))).toEqual([]);
});

it.each<[string, string[], unknown]>([
  ['nothing', [], ['start']],
  ['start', ['start'], ['start']],
  ['help', ['token', 'create', '--help'], ['help']],
  ['accounts', ['user', 'list', '--json'], ['listUsers', { json: true }]],
  ['a new password', ['user', 'reset-password', 'ann@example.org'], ['resetPassword', 'ann@example.org']],
  ['an account to disable', ['user', 'disable', 'ann@example.org'], ['disableUser', 'ann@example.org']],
  ['an account to enable', ['user', 'enable', 'ann@example.org'], ['enableUser', 'ann@example.org']],
  ['a text that is no address', ['user', 'disable', 'ann'], wrong('must be the e-mail address')],
  ['the machines', machines('list', '--json'), ['listMachines', { email: 'ann@example.org', json: true }]],
  ['another name', machines('rename', 'desk', 'attic'), ['renameMachine', { ...desk, name: 'attic' }]],
  ['a name that cannot be', machines('rename', 'desk', 'Attic'), wrong('must have 1 to 32 lower-case')],
  ['a reserved name', machines('rename', 'desk', 'all'), wrong('is reserved')],
  ['a default', machines('default', 'desk'), ['setDefaultMachine', desk]],
  ['a machine to disconnect', machines('disconnect', 'desk'), ['disconnectMachine', desk]],
  ['a machine to forget', machines('forget', 'desk'), ['forgetMachine', desk]],
  ['a machine of no person', ['machines', 'forget', 'desk'], wrong("required option '--user <email>'")],
  ['a backup', ['backup', 'copy'], ['backUp', 'copy']],
  ['a backup to nowhere', ['backup'], wrong("missing required argument 'folder'")],
  ['a restore', ['restore', 'copy'], ['restore', 'copy']],
  ['doctor', ['doctor'], ['doctor', { json: false }]],
  ['a name alone', create('--name', 'Desk'), created()],
  ['JSON', create('--name', 'Desk', '--json'), created({}, true)],
  [
    'scopes and days',
    create('--name', 'Desk', '--scopes', 'shell,browser', '--days', '7'),
    created({ scopes: ['shell', 'browser'], expiresInDays: 7 }),
  ],
  [
    'a token for machines',
    create('--name', 'Desk', '--machine', 'nas,desk'),
    created({}, false, ['nas', 'desk']),
  ],
  ['no name', create(), wrong('--name')],
  ['an unknown scope', create('--name', 'Desk', '--scopes', 'all'), wrong('--scopes: ')],
  ['too many days', create('--name', 'Desk', '--days', '367'), wrong('--days: ')],
  ['days that are none', create('--name', 'Desk', '--days', 'x'), wrong('--days: ')],
  ['no user', ['token', 'create', '--name', 'Desk'], wrong('--user')],
  ['an unknown flag', create('--name', 'Desk', '--port=80'), wrong('--port')],
  ['a word too many', create('--name', 'Desk', 'more'), wrong('too many arguments')],
  ['another command', ['token', 'show'], wrong("unknown command 'show'")],
  ['a typo', ['usr', 'list'], wrong("unknown command 'usr'")],
  ['an old flag', ['--port=80'], wrong('--port')],
  ['a missing word', ['backup'], wrong('next   See drawbridge-server backup --help.')],
  ['a command that is not there', ['usr'], wrong('next   See drawbridge-server --help.')],
])('reads %s', async (_, args, expected) => {
  expect(await read(...args)).toEqual(expected);
});
