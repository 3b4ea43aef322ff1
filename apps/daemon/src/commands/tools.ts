import { homedir } from 'node:os';
import { toolGroups } from '@drawbridge/contracts/groups';
import { systemClock, visible } from '@drawbridge/kit';
import type { Command } from 'commander';
import { effectiveModes, openSettings } from '../permission/index.ts';
import { row, type Answer } from './common/answer.ts';
import { jsonFlag, type AnswerWith, type CommandContext } from './common/context.ts';
import { addModes } from './common/flags.ts';
import { inspectTools } from './inspect-tools.ts';
import { readOptions } from './common/options.ts';
import { findRootFolder } from './common/root-folder.ts';
import { groupLabel } from './common/summary.ts';
import { wantedModes } from './common/mode-sources.ts';

const tools = async (flags: Record<string, unknown>, { environment }: CommandContext): Promise<Answer> => {
  const options = readOptions({ url: undefined, token: undefined, dir: undefined, flags }, environment);
  const settings = await openSettings(environment.privateFolder, systemClock);
  const modes = effectiveModes(wantedModes(options, settings));
  const root = (await findRootFolder(options.dir ?? '.', homedir())).path;
  const inspection = await inspectTools({
    settings,
    modes,
    root,
    shellSandbox: options.shellSandbox,
  });
  const missing = inspection.categories.filter(({ enabled }) => !enabled);
  return {
    text: (paint) =>
      [
        row('folder', visible(root)),
        row('modes', toolGroups.map((group) => `${groupLabel(group)} ${modes[group]}`).join(', ')),
        '',
        ...inspection.categories.flatMap(({ name, enabled }) => {
          if (!enabled) return [];
          const names = inspection.tools.filter(({ annotations }) => annotations?.['category'] === name);
          return names.map((tool, at) =>
            row(at === 0 ? visible(name) : '', visible(tool.name), (word) => paint('green', word)),
          );
        }),
        ...(inspection.tools.length === 0 ? ['Nothing would be offered.'] : []),
        ...(missing.length > 0 ? ['', 'Not offered:'] : []),
        ...missing.map(({ name, reason }) =>
          row(visible(name), visible(reason ?? 'no reason is known'), (word) => paint('yellow', word)),
        ),
      ].join('\n'),
    json: {
      folder: root,
      modes,
      tools: inspection.tools.map(({ name, annotations }) => ({
        name,
        category: annotations?.['category'] ?? null,
      })),
      notOffered: missing.map(({ name, reason }) => ({ category: name, reason: reason ?? null })),
    },
    code: inspection.tools.length > 0 ? 0 : 1,
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
    answer({ json: flags['json'] === true }, (context) => tools(flags, context)),
  );
};
