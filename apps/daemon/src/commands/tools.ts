import { toolGroups } from '@drawbridge/contracts/groups';
import { systemClock, visible } from '@drawbridge/kit';
import type { Command } from 'commander';
import { groupLabel, effectiveModes, openSettings } from '../permission/index.ts';
import { jsonFlag, type Answer, type AnswerWith, type CommandContext } from './common/command.ts';
import { addModes } from './common/flags.ts';
import { inspectTools } from './inspect-tools.ts';
import { readOptions } from './common/options.ts';
import { findRootFolder } from './common/root-folder.ts';
import { wantedModes } from './common/mode-sources.ts';

const tools = async (flags: Record<string, unknown>, { environment }: CommandContext): Promise<Answer> => {
  const options = readOptions({ url: undefined, token: undefined, dir: undefined, flags }, environment);
  const settings = await openSettings(environment.privateFolder, systemClock);
  const modes = effectiveModes(wantedModes(options, settings));
  const root = await findRootFolder(options.dir ?? '.');
  const { shellSandbox } = options;
  const { tools: found, categories } = await inspectTools({ settings, modes, root, shellSandbox });
  const offered = found.map(({ name, annotations }) => ({
    name,
    category: annotations?.['category'] ?? null,
  }));
  const missing = categories.filter(({ enabled }) => !enabled);
  return {
    text: (row) => [
      row('folder', visible(root)),
      row('modes', toolGroups.map((group) => `${groupLabel(group)} ${modes[group]}`).join(', ')),
      '',
      ...categories.flatMap(({ name, enabled }) =>
        offered
          .filter(({ category }) => enabled && category === name)
          .map((tool, at) => row(at === 0 ? visible(name) : '', visible(tool.name), 'green')),
      ),
      offered.length === 0 && 'Nothing would be offered.',
      ...(missing.length > 0 ? ['', 'Not offered:'] : []),
      ...missing.map(({ name, reason }) =>
        row(visible(name), visible(reason ?? 'no reason is known'), 'yellow'),
      ),
    ],
    json: {
      folder: root,
      modes,
      tools: offered,
      notOffered: missing.map(({ name, reason }) => ({ category: name, reason: reason ?? null })),
    },
    code: offered.length > 0 ? 0 : 1,
  };
};

export const addTools = (program: Command, answer: AnswerWith): void => {
  const command = program
    .command('tools')
    .description('list the tools that this folder would offer, and why others are missing; runs no tool')
    .option('--dir <folder>', 'the folder that file tools work in (default: the current one)')
    .option('--dangerously-disable-shell-sandbox', 'let commands do whatever you can do')
    .option(...jsonFlag)
    .addHelpText('after', '\nExample:\n  $ drawbridge tools --permission-shell ask');
  addModes(command).action((flags: Record<string, unknown>) =>
    answer(flags, (context) => tools(flags, context)),
  );
};
