import { machineName } from '@drawbridge/contracts/ids';
import { createTokenInput, tokenLimits, tokenScopeNames } from '@drawbridge/contracts/tokens';
import { Command, InvalidArgumentError } from 'commander';
import { z } from 'zod';
import { configRows } from '../config.ts';
import type { ServerActions } from './actions.ts';
import type { MachineChoice } from './machines.ts';

/** What the commands do; this file reads the line, and these run it. Folders are as they were typed. */
export interface Actions extends ServerActions {
  start(): Promise<void>;
}

const email = (text: string): string => {
  const read = z.email().safeParse(text);
  if (read.success) return read.data;
  throw new InvalidArgumentError('must be the e-mail address of an account');
};

const newName = (text: string): string => {
  const read = machineName.safeParse(text);
  if (read.success) return read.data;
  throw new InvalidArgumentError(read.error.issues[0]?.message ?? 'is not valid');
};

/** The flag of each input field. */
const flags: Record<string, string> = { name: '--name', scopes: '--scopes', expiresInDays: '--days' };

interface TokenFlags {
  user: string;
  name: string;
  scopes?: string;
  machine?: string;
  days?: string;
  json?: boolean;
}

const addUser = (program: Command, actions: Actions): void => {
  const user = program.command('user').description('accounts of this server');
  user
    .command('list')
    .description('list the accounts')
    .option('--json', 'as JSON')
    .action(({ json = false }: { json?: boolean }) => actions.listUsers({ json }));
  user
    .command('reset-password')
    .description('print a link, good once and for one hour, by which the person sets a new password')
    .argument('<email>', 'of the account', email)
    .action(actions.resetPassword);
  user
    .command('disable')
    .description(
      'refuse sign-in, and end the sessions, access tokens, clients, machines and webhooks of an account',
    )
    .argument('<email>', 'of the account', email)
    .action(actions.disableUser);
  user
    .command('enable')
    .description(
      'let a disabled account sign in again; tokens, webhooks and machines have to be created anew',
    )
    .argument('<email>', 'of the account', email)
    .action(actions.enableUser);
};

const postgresUrl = (text: string): string => {
  if (/^postgres(ql)?:/.test(text)) return text;
  throw new InvalidArgumentError('it must begin with postgres://');
};

const addMachines = (program: Command, actions: Actions): void => {
  const machines = program.command('machines').description('the machines that a person has paired');
  const add = (name: string, description: string) =>
    machines
      .command(name)
      .description(description)
      .requiredOption('--user <email>', 'the user of the machine', email);
  const machine = ['<machine>', 'its name or id'] as const;
  add('list', 'list the machines')
    .option('--json', 'as JSON')
    .action(({ user, json = false }: { user: string; json?: boolean }) =>
      actions.listMachines({ email: user, json }),
    );
  add('rename', 'rename a machine')
    .argument(...machine)
    .argument('<name>', 'lower-case letters, digits and hyphens', newName)
    .action((machine: string, name: string, { user }: { user: string }) =>
      actions.renameMachine({ email: user, machine, name }),
    );
  const machineCommand = (name: string, description: string, run: (choice: MachineChoice) => Promise<void>) =>
    add(name, description)
      .argument(...machine)
      .action((machine: string, { user }: { user: string }) => run({ email: user, machine }));
  machineCommand('default', 'use a machine for requests that name none', actions.setDefaultMachine);
  machineCommand('disconnect', 'end the pairing of a machine', actions.disconnectMachine);
  machineCommand(
    'forget',
    'remove a machine that is away from the list; its calls stay',
    actions.forgetMachine,
  );
};

const addToken = (program: Command, actions: Actions): void => {
  const create = program
    .command('token')
    .description('access tokens')
    .command('create')
    .description('create an access token for a person; it is printed once')
    .requiredOption('--user <email>', 'the user of the token', email)
    .requiredOption('--name <name>', 'what the person calls it')
    .option('--scopes <a,b>', `what it may use, of ${tokenScopeNames.join(', ')} (default: filesystemRead)`)
    .option(
      '--machine <names>',
      'the machines that it may use, by name or id (default: all, including future ones)',
    )
    .option(
      '--days <n>',
      `days that it is valid, at most ${tokenLimits.mostDays} (default: ${tokenLimits.defaultDays})`,
    )
    .option('--json', 'print the token with its details as JSON')
    .action((options: TokenFlags) => {
      const input = createTokenInput.safeParse({
        name: options.name,
        scopes: options.scopes?.split(','),
        expiresInDays: options.days === undefined ? undefined : Number(options.days),
      });
      if (input.success)
        return actions.createToken({
          email: options.user,
          input: input.data,
          machines: options.machine?.split(',') ?? null,
          json: options.json ?? false,
        });
      const [issue] = input.error.issues;
      const field = String(issue?.path[0]);
      return create.error(`error: ${flags[field] ?? field}: ${issue?.message ?? 'is not valid'}`);
    });
};

/** The table of settings; on a terminal it is wrapped as commander's own lists are. */
const settingsHelp = (program: Command): string => {
  const helper = program.createHelp();
  helper.prepareContext({ helpWidth: program.configureOutput().getOutHelpWidth?.() ?? Infinity });
  const rows = configRows();
  const width = Math.max(...rows.map(({ name }) => name.length));
  const lines = rows.map(({ name, fallback, about }) =>
    helper.formatItem(name, width, fallback === null ? about : `${about} Default: ${fallback}`, helper),
  );
  return ['Environment:', ...lines, ''].join('\n');
};

/** A wrong line leads to the help of its own command. */
const leadToHelp = (command: Command, path: string): void => {
  command.showHelpAfterError(`next   See ${path} --help.`);
  for (const one of command.commands)
    leadToHelp(one, one.name() === 'start' ? path : `${path} ${one.name()}`);
};

/** The commander program. Usage errors end with exit code 2; without a command the server starts. */
export const createProgram = (version: string, actions: Actions): Command => {
  const program = new Command('drawbridge-server')
    .description('Runs the Drawbridge server, and manages its accounts and its store.')
    .version(version)
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'error  ')) })
    .exitOverride();
  program
    .command('start', { isDefault: true })
    .description('run the server; its settings are environment variables')
    // Unknown commands arrive here as arguments.
    .allowExcessArguments()
    .action((_options: object, command: Command) => {
      const [word] = command.args;
      if (word === undefined) return actions.start();
      return command.error(`error: unknown command '${word}'`);
    });
  addUser(program, actions);
  addMachines(program, actions);
  addToken(program, actions);
  program
    .command('backup')
    .description('copy the store and its secret into a new folder, also while the server runs')
    .argument('<folder>', 'which does not exist yet')
    .action(actions.backUp);
  program
    .command('restore')
    .description('replace the store by a backup, while no server runs; the former store is set aside')
    .argument('<folder>', 'that backup created')
    .action(actions.restore);
  program
    .command('store')
    .description('the store of the server')
    .command('copy')
    .description('copy the SQLite store into an empty database on Postgres, while no server runs')
    .requiredOption('--to <url>', 'postgres://<user>:<password>@<host>:<port>/<database>', postgresUrl)
    .action(({ to }: { to: string }) => actions.copyStore(to));
  program
    .command('doctor')
    .description(
      'check the server and its environment, and print a fix for each problem; exits with 1 on a problem',
    )
    .option('--json', 'as JSON')
    .action(({ json = false }: { json?: boolean }) => actions.doctor({ json }));
  leadToHelp(program, program.name());
  return program.addHelpText('after', () => `\n${settingsHelp(program)}`);
};
