import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { systemClock, visible } from '@drawbridge/kit';
import type { Command } from 'commander';
import { createServerFolders } from '../../paths/server-folders.ts';
import { ownCommand } from '../../program/own-command.ts';
import { openSettings } from '../../permission/index.ts';
import { inWords, jsonFlag, type Answer, type AnswerWith, type CommandContext } from '../common/command.ts';
import { errors } from '../common/errors.ts';

const examples = `
A command in the sandbox reads the shared folder, the system, and the programs
and packages of toolchains. It reads nothing else of the home folder and of
other disks. What is added here it reads too, and does not change.

Examples:
  $ drawbridge sandbox add ~/datasets
  $ drawbridge sandbox list
  $ drawbridge sandbox remove ~/datasets`;

const open = ({ environment }: CommandContext) => openSettings(environment.privateFolder, systemClock);

const add = async (typed: string, context: CommandContext): Promise<Answer> => {
  const settings = await open(context);
  const { whyNotReadable } = await import('../../tools/shell/sandbox/visible/why-not-readable.ts');
  const path = resolve(typed);
  const reason = whyNotReadable(path, {
    home: homedir(),
    closed: [settings.folder, ...createServerFolders(systemClock)()],
  });
  if (reason !== null) throw errors.notReadable({ message: `${visible(path)} ${reason}` });
  await settings.setReadable((paths) => [...new Set([...paths, path])]);
  return inWords(
    `added    ${visible(path)}`,
    'next     A running drawbridge applies it to the next command.',
  );
};

const list = async (context: CommandContext): Promise<Answer> => {
  const paths = (await open(context)).readableFolders();
  const none = `Nothing is added. See ${ownCommand('sandbox add --help')}.`;
  return { text: () => (paths.length === 0 ? [none] : paths.map(visible)), json: paths, code: 0 };
};

const remove = async (typed: string, context: CommandContext): Promise<Answer> => {
  const settings = await open(context);
  const path = [typed, resolve(typed)].find((one) => settings.readableFolders().includes(one));
  if (path === undefined)
    throw errors.wrongUse({
      message: `${visible(resolve(typed))} is not added`,
      fix: `See ${ownCommand('sandbox list')}.`,
    });
  await settings.setReadable((paths) => paths.filter((one) => one !== path));
  return inWords(`removed  ${visible(path)}`);
};

/** `drawbridge sandbox`: what commands read beside the shared folder. No server can change it. */
export const addSandbox = (program: Command, answer: AnswerWith): void => {
  const command = program
    .command('sandbox')
    .description('what commands in the sandbox read beside the shared folder')
    .addHelpText('after', examples);
  command
    .command('list', { isDefault: true })
    .description('list what is added')
    .option(...jsonFlag)
    .action((options: { json?: boolean }) => answer(options, list));
  command
    .command('add')
    .description('let commands read a folder or a file')
    .argument('<path>')
    .action((path: string) => answer({}, (context) => add(path, context)));
  command
    .command('remove')
    .description('close it again')
    .argument('<path>')
    .action((path: string) => answer({}, (context) => remove(path, context)));
};
