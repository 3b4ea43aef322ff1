import { mkdir, realpath, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname } from 'node:path';
import type { Release } from '@drawbridge/contracts/release';
import { systemClock, visible } from '@drawbridge/kit';
import type { Command } from 'commander';
import writeFileAtomic from 'write-file-atomic';
import { kebab } from '../../config.ts';
import { currentProgram, installedPlaces, isThere } from '../../install/index.ts';
import { ownCommand } from '../../program/own-command.ts';
import { openSettings } from '../../permission/index.ts';
import type { ServiceManager } from '../../service/index.ts';
import { jsonFlag, type Answer, type AnswerWith, type CommandContext } from '../common/command.ts';
import { errors } from '../common/errors.ts';
import { findKept } from '../common/find-kept.ts';
import { addModes } from '../common/flags.ts';
import { isFromNpx, isInstalled, keepProgram, ownScript } from './install.ts';
import { readOptions } from '../common/options.ts';
import { findSessionFolder } from '../common/root-folder.ts';
import { showKept } from '../common/sentences.ts';
import { wantedModes } from '../common/mode-sources.ts';

const linger = 'loginctl enable-linger';
const lockedKeyring =
  'A keyring is locked until you sign in: pair again with --key-store file to start at boot.';

const findHere = async (): Promise<ServiceManager> => {
  const { ownManager } = await import('../../service/index.ts');
  const manager = ownManager();
  if (manager !== null) return manager;
  throw errors.noService();
};

/** A path that survives updates: an npx run is installed, an installed program uses the stable path. */
const lastingProgram = async (release: Release): Promise<string> => {
  const script = await ownScript();
  if (!(await isInstalled(script)) && !(await isFromNpx())) return script;
  await keepProgram(release);
  return currentProgram(installedPlaces(homedir()));
};

/** Writes the unit and starts it. The key stays where it is: nothing of it is in the unit. */
const install = async (
  flags: Record<string, unknown>,
  { environment, release, notify }: CommandContext,
): Promise<Answer> => {
  const { privateFolder, path } = environment;
  const manager = await findHere();
  const kept = await findKept(privateFolder);
  if (kept === null)
    throw errors.notPaired({ fix: `Run ${ownCommand('pair <url> <token>')} first; the panel shows both.` });
  const options = readOptions({ url: undefined, token: undefined, dir: undefined, flags }, environment);
  const settings = await openSettings(privateFolder, systemClock);
  wantedModes(options, settings);
  const root = await findSessionFolder(options.dir, kept.folder);
  if (process.getuid?.() === 0) notify('careful  This service runs as root: allowed calls have all rights.');
  const facts = {
    node: await realpath(process.execPath),
    cli: await lastingProgram(release),
    args: Object.entries(options.modes).flatMap(([group, mode]) => [
      // The keys are those of a record of groups.
      `--permission-${kebab(group as keyof typeof options.modes)}`,
      mode,
    ]),
    folder: root,
    path,
  };
  await mkdir(dirname(manager.path), { recursive: true });
  await writeFileAtomic(manager.path, manager.unit(facts), { mode: 0o600 });
  const started = await manager.start();
  const lingers = await manager.lingers();
  return {
    text: (row) => [
      started.ok
        ? row('installed', `${manager.name} runs it now, and after a reboot`, 'green')
        : row('not started', `${manager.name} says: ${visible(started.words)}`, 'yellow'),
      row('unit', visible(manager.path)),
      row('program', visible(facts.cli)),
      row('folder', visible(root)),
      row('key', showKept(kept.keptIn, privateFolder)),
      started.ok &&
        lingers === false &&
        row('next', `It starts when you sign in. ${linger} lets it start at boot.`),
      lingers === true && kept.keptIn === 'keyring' && row('next', lockedKeyring),
      !started.ok && row('next', 'Sign in with a session of your own, and run this command again.'),
    ],
    json: {
      installed: true,
      started: started.ok,
      unit: manager.path,
      program: facts.cli,
      folder: root,
      lingers,
      keptIn: kept.keptIn,
    },
    code: started.ok ? 0 : 1,
  };
};

const uninstall = async (): Promise<Answer> => {
  const manager = await findHere();
  const was = await isThere(manager.path);
  if (was) await manager.stop();
  await rm(manager.path, { force: true });
  const kept = `the session is kept: ${ownCommand('connect')} reconnects with it`;
  return {
    text: (row) => [
      was ? row('removed', `${visible(manager.path)}; ${kept}`) : row('nothing', 'no service is installed'),
    ],
    json: { removed: was, unit: manager.path },
    code: 0,
  };
};

const serviceStatus = async ({ environment }: CommandContext): Promise<Answer> => {
  const manager = await findHere();
  const installed = await isThere(manager.path);
  const active = installed && (await manager.isActive());
  const lingers = await manager.lingers();
  const kept = await findKept(environment.privateFolder);
  return {
    text: (row) => [
      active && row('running', `by ${manager.name}`, 'green'),
      installed && !active && row('stopped', `see ${ownCommand('logs')}`, 'yellow'),
      !installed && row('not installed', `run ${ownCommand('service install')}`, 'yellow'),
      row('unit', visible(manager.path)),
      kept !== null && row('key', showKept(kept.keptIn, environment.privateFolder)),
      lingers !== null &&
        row('at boot', lingers ? 'yes' : `no: it starts when you sign in; ${linger} changes that`),
    ],
    json: { installed, active, unit: manager.path, lingers, keptIn: kept?.keptIn ?? null },
    code: active ? 0 : 1,
  };
};

export const addService = (program: Command, answer: AnswerWith): void => {
  const service = program
    .command('service')
    .description('keep drawbridge running in the background, after a reboot too, without root')
    .addHelpText('after', '\nExample:\n  $ drawbridge service install --dir ~/projects/site --read-only');
  addModes(
    service
      .command('install')
      .description('write a systemd user unit or a launchd agent, and start it')
      .option('--dir <folder>', 'the folder that file tools work in (default: that of the last session)')
      .option(...jsonFlag)
      .addHelpText('after', '\nExample:\n  $ drawbridge service install --dir ~/projects/site --read-only'),
  ).action((flags: Record<string, unknown>) => answer(flags, (context) => install(flags, context)));
  service
    .command('uninstall')
    .description('stop it and remove it; the session is kept')
    .option(...jsonFlag)
    .addHelpText('after', '\nExample:\n  $ drawbridge service uninstall')
    .action((options: { json?: boolean }) => answer(options, uninstall));
  service
    .command('status')
    .description('whether it is installed and runs; exits with 1 when it does not')
    .option(...jsonFlag)
    .addHelpText('after', '\nExample:\n  $ drawbridge service status')
    .action((options: { json?: boolean }) => answer(options, serviceStatus));
};
