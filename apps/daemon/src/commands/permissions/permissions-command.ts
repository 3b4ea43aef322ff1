import { modes, toolGroups, type Mode, type ToolGroup } from '@drawbridge/contracts/groups';
import { ruleEffects } from '@drawbridge/contracts/rules';
import { Argument, Option, type Command } from 'commander';
import { jsonFlag, type AnswerWith } from '../common/command.ts';
import { addRule, listPermissions, removeRule, resetRules } from './permissions.ts';
import { setMode } from './set-mode.ts';

const examples = `
A rule covers exactly what it names, or with --reach folder all below a folder,
with --reach subdomains a host and its subdomains, with --reach words a command
of plain words with further plain words after it, in the sandbox only. An
allowed command runs in the current folder only. A denial also holds for
anything else that names the same thing.

Examples:
  $ drawbridge permissions
  $ drawbridge permissions set shell ask
  $ drawbridge permissions allow filesystemWrite ~/notes --reach folder
  $ drawbridge permissions allow shell 'npm test'
  $ drawbridge permissions allow shell 'npm test' --reach words
  $ drawbridge permissions deny shell curl
  $ drawbridge permissions remove 2`;

export const addPermissions = (program: Command, answer: AnswerWith): void => {
  const command = program
    .command('permissions')
    .description('the modes and permanent rules of this machine')
    .addHelpText('after', examples);
  command
    .command('list', { isDefault: true })
    .description('list them, with when a rule was made and last used')
    .option(...jsonFlag)
    .action((options: { json?: boolean }) => answer(options, listPermissions));
  command
    .command('set')
    .description('save the mode of a group; a running drawbridge applies it at once')
    .addArgument(new Argument('<group>').choices(toolGroups.filter((group) => group !== 'system')))
    .addArgument(new Argument('<mode>').choices([...modes]))
    .action((group: Exclude<ToolGroup, 'system'>, mode: Mode) =>
      answer({}, (context) => setMode(group, mode, context)),
    );
  for (const effect of ruleEffects) {
    const made = command
      .command(effect)
      .description(effect === 'allow' ? 'always allow something' : 'always deny something')
      .addArgument(new Argument('<group>').choices([...toolGroups]))
      .argument('<resource>', 'a path, a host, a command')
      .addOption(
        new Option('--reach <reach>', 'what the rule covers').choices([
          'exact',
          'folder',
          'subdomains',
          'words',
        ]),
      )
      .action((toolGroup: ToolGroup, resource: string, options: { reach?: string; realPath?: boolean }) =>
        answer({}, (context) => addRule({ effect, toolGroup, resource, ...options }, context)),
      );
    if (effect === 'allow') made.option('--real-path', 'make no rule if the path leads elsewhere, by a link');
  }
  command
    .command('remove')
    .description('remove one rule')
    .argument('<number>', 'as the list shows it')
    .action((number: string) => answer({}, (context) => removeRule(number, context)));
  command
    .command('reset')
    .description('remove all rules; the modes stay')
    .option('--yes', 'do not ask')
    .action(({ yes = false }: { yes?: boolean }) => answer({}, (context) => resetRules(yes, context)));
};
