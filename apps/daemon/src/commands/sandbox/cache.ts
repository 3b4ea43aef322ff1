import type { Command } from 'commander';
import { cacheBase } from '../../tools/shell/config.ts';
import { inWords, jsonFlag, type Answer, type AnswerWith } from '../common/command.ts';

const mebibyte = 1024 * 1024;

const show = async (): Promise<Answer> => {
  const { cachesIn, sizeOfCaches } = await import('../../tools/shell/network/caches.ts');
  const bytes = await sizeOfCaches(cacheBase());
  const words = `${Math.ceil(bytes / mebibyte)} MiB in ${cachesIn(cacheBase())}`;
  return { text: () => [words], json: { bytes, folder: cachesIn(cacheBase()) }, code: 0 };
};

const clear = async (): Promise<Answer> => {
  const { clearCaches } = await import('../../tools/shell/network/caches.ts');
  await clearCaches(cacheBase());
  return inWords('removed  the caches of commands; the next installation downloads again');
};

/** `drawbridge cache`: what package tools of commands have downloaded. */
export const addCache = (program: Command, answer: AnswerWith): void => {
  const command = program
    .command('cache')
    .description('what package tools have downloaded in the sandbox')
    .addHelpText('after', '\nExamples:\n  $ drawbridge cache\n  $ drawbridge cache clear');
  command
    .command('show', { isDefault: true })
    .description('show their size')
    .option(...jsonFlag)
    .action((options: { json?: boolean }) => answer(options, show));
  command
    .command('clear')
    .description('remove them')
    .action(() => answer({}, clear));
};
