import { readdir, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { systemClock, visible } from '@drawbridge/kit';
import type { Command } from 'commander';
import { row } from '../../terminal/row.ts';
import { installedPlaces, isThere, launcherState, removeLauncher } from '../../install/index.ts';
import { createSessionFile } from '../../link/index.ts';
import { broughtNodeFolder } from '../../program/places.ts';
import type { ServiceManager } from '../../service/index.ts';
import {
  jsonFlag,
  mustBeAskable,
  type Answer,
  type AnswerWith,
  type CommandContext,
} from '../common/command.ts';
import { errors } from '../common/errors.ts';
import { findKept } from '../common/find-kept.ts';

interface UninstallFlags {
  yes?: boolean;
  settings?: boolean;
  json?: boolean;
}

const findService = async (): Promise<ServiceManager | null> => {
  const { ownManager } = await import('../../service/index.ts');
  const manager = ownManager();
  return manager !== null && (await isThere(manager.path)) ? manager : null;
};

const findInstalled = async () => {
  const places = installedPlaces(homedir());
  return {
    versions: (await isThere(places.versions)) ? places.versions : null,
    launcher: (await launcherState(places)) === 'ours' ? places.launcher : null,
    service: await findService(),
  };
};

type Installed = Awaited<ReturnType<typeof findInstalled>>;

const kept = 'settings, rules, MCP servers, the session key, the journal, what can be undone, and logs';

const toRemove = ({ versions, launcher, service }: Installed): { what: string; path: string }[] =>
  Object.entries({ launcher, program: versions, service: service?.path ?? null }).flatMap(([what, path]) =>
    path === null ? [] : [{ what, path }],
  );

type Choice = 'program' | 'all' | 'nothing';

const askWhat = async (privateFolder: string): Promise<Choice> => {
  const { isCancel, select } = await import('@clack/prompts');
  const answer = await select<Choice>({
    output: process.stderr,
    message: 'Uninstall drawbridge for this user?',
    options: [
      { value: 'program', label: 'Yes', hint: `keeps ${kept}` },
      { value: 'all', label: `Yes, and delete ${privateFolder}`, hint: kept },
      { value: 'nothing', label: 'No' },
    ],
    initialValue: 'nothing',
  });
  return isCancel(answer) ? 'nothing' : answer;
};

/** Whose files would be taken away while it runs. The service is stopped with the rest. */
const refuseWhileRunning = async (privateFolder: string, service: ServiceManager | null): Promise<void> => {
  const { readStatuses } = await import('../../status/read-status.ts');
  const running = await readStatuses(privateFolder);
  const byService = service !== null && (await service.isActive()) ? 1 : 0;
  const [first] = running;
  if (first === undefined || running.length <= byService) return;
  throw errors.stillRunning({ message: `drawbridge is running (process ${first.pid})` });
};

const remove = async (installed: Installed, privateFolder: string, all: boolean): Promise<void> => {
  await installed.service?.stop();
  if (installed.service !== null) await rm(installed.service.path, { force: true });
  await removeLauncher(installedPlaces(homedir()));
  if (installed.versions !== null) await rm(installed.versions, { recursive: true, force: true });
  await rm(broughtNodeFolder(privateFolder), { recursive: true, force: true });
  if (!all) return;
  // A key in the keyring goes too.
  await createSessionFile({ folder: privateFolder, clock: systemClock }).forget();
  await rm(privateFolder, { recursive: true, force: true });
};

const uninstall = async (flags: UninstallFlags, context: CommandContext): Promise<Answer> => {
  const { privateFolder } = context.environment;
  const installed = await findInstalled();
  const rows = toRemove(installed);
  const settings = flags.settings === true;
  const hasSettings = (await readdir(privateFolder).catch(() => [])).some((name) => name !== 'versions');
  if (rows.length === 0 && !(settings && hasSettings)) {
    const text = row('nothing', 'drawbridge is not installed for this user');
    return { text: () => [text], json: { removed: [] }, code: 0 };
  }
  await refuseWhileRunning(privateFolder, installed.service);
  mustBeAskable(flags.yes === true, context, 'uninstall needs a terminal, or --yes');
  let choice: Choice = settings ? 'all' : 'program';
  if (flags.yes !== true) {
    for (const { what, path } of rows) context.notify(row('removes', `${what.padEnd(9)} ${visible(path)}`));
    choice = await askWhat(privateFolder);
  }
  if (choice === 'nothing') return { text: () => ['Nothing was changed.'], json: { removed: [] }, code: 1 };
  const session = await findKept(privateFolder);
  await remove(installed, privateFolder, choice === 'all');
  const removed = [...rows.map(({ path }) => path), ...(choice === 'all' ? [privateFolder] : [])];
  return {
    text: (paintedRow) => [
      ...removed.map((path) => paintedRow('removed', visible(path), 'green')),
      choice === 'program' && hasSettings && row('kept', `${visible(privateFolder)}: ${kept}`),
      choice === 'all' &&
        session !== null &&
        row('next', 'The server still knows this machine: disconnect it in the panel.'),
    ],
    json: { removed },
    code: 0,
  };
};

export const addUninstall = (program: Command, answer: AnswerWith): void => {
  program
    .command('uninstall')
    .description('remove the installed program, its launcher and its service; asks first')
    .option('--yes', 'do not ask')
    .option('--settings', `also delete ~/.drawbridge: ${kept}`)
    .option(...jsonFlag)
    .addHelpText('after', '\nExample:\n  $ drawbridge uninstall')
    .action((flags: UninstallFlags) => answer(flags, (context) => uninstall(flags, context)));
};
