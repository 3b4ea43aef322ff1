import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { compareReleases, releaseName, type PackedDaemon, type Release } from '@drawbridge/contracts/release';
import { systemClock, visible } from '@drawbridge/kit';
import type { Command } from 'commander';
import { row } from '../../terminal/row.ts';
import { userEnvironment } from '../../config.ts';
import {
  addVersion,
  currentName,
  currentRelease,
  fetchOffered,
  fetchPackage,
  fromPackage,
  installedPlaces,
  keepForeign,
  pathLine,
  putLauncher,
  removeOthers,
  useVersion,
} from '../../install/index.ts';
import { ownCommand } from '../../program/own-command.ts';
import {
  confirm,
  jsonFlag,
  mustBeAskable,
  type Answer,
  type AnswerWith,
  type CommandContext,
} from '../common/command.ts';
import { errors } from '../common/errors.ts';
import { findKept } from '../common/find-kept.ts';
import { addInsecure } from '../common/flags.ts';
import { installedRows } from './install.ts';
import { readOptions } from '../common/options.ts';

interface UpdateFlags {
  yes?: boolean;
  json?: boolean;
  allowInsecureHttp?: boolean;
}

/** The server that this machine is paired with: a program comes from no other. */
const findServer = async (flags: UpdateFlags, { environment }: CommandContext): Promise<URL> => {
  const kept = await findKept(environment.privateFolder);
  if (kept === null) throw errors.notPaired();
  const line = { url: kept.url, token: undefined, dir: undefined, flags: { ...flags } };
  return readOptions(line, environment).url ?? new URL(kept.url);
};

const saidYes = (is: 'newer' | 'older'): Promise<boolean> =>
  confirm(is === 'newer' ? 'Update?' : 'The server has an older release. Install it?', is === 'newer');

interface Change {
  url: URL;
  offered: PackedDaemon;
  signal: AbortSignal;
}

/** Downloads the release, installs it beside the present one, and makes it current. */
const change = async ({ url, offered, signal }: Change): Promise<void> => {
  const places = installedPlaces(homedir());
  await keepForeign(places);
  const content = await fetchPackage({ url, clock: systemClock, signal }, offered);
  const folder = await mkdtemp(join(tmpdir(), 'drawbridge-update-'));
  try {
    const file = join(folder, 'daemon.tgz');
    await writeFile(file, content, { mode: 0o600, flag: 'wx' });
    const { version, build } = offered;
    await addVersion(places, {
      fill: fromPackage(file, userEnvironment()),
      expected: { version, build },
      nowMs: systemClock.now(),
    });
    await useVersion(places, offered);
    await putLauncher(places);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

const restartRows = async (privateFolder: string, offered: Release): Promise<string[]> => {
  const { readStatuses } = await import('../../status/read-status.ts');
  const { ownManager } = await import('../../service/index.ts');
  const old = (await readStatuses(privateFolder)).filter(({ version }) => version !== releaseName(offered));
  if (old.length === 0) return [];
  const manager = ownManager();
  const isService = manager !== null && (await manager.isActive());
  const how = isService ? manager.restartCommand : `stop it with Ctrl-C, then ${ownCommand('connect')}`;
  return old.map(({ pid, version }) =>
    row('restart', `process ${pid} still runs ${visible(version)}: ${how}`),
  );
};

/** The releases that stay: the new one, the one before it, and what runs. */
const prune = async (privateFolder: string, names: (string | null)[]): Promise<void> => {
  const { readStatuses } = await import('../../status/read-status.ts');
  const running = (await readStatuses(privateFolder)).map(({ version }) => version);
  await removeOthers(installedPlaces(homedir()), [...names.filter((name) => name !== null), ...running]);
};

const update = async (flags: UpdateFlags, context: CommandContext): Promise<Answer> => {
  const { environment, signal } = context;
  const places = installedPlaces(homedir());
  const url = await findServer(flags, context);
  const offered = await fetchOffered({ url, clock: systemClock, signal });
  const own = currentRelease(places) ?? context.release;
  const is = compareReleases(own, offered);
  const [from, to] = [releaseName(own), releaseName(offered)];
  const both = [row('this machine', from), row('the server', `${to}  ${visible(url.origin)}`)];
  if (is === 'same') {
    return { text: () => [...both, 'Up to date.'], json: { from, to, updated: false }, code: 0 };
  }
  if (flags.yes !== true) {
    mustBeAskable(false, context, `update needs a terminal, or --yes (${from} here, ${to} at the server)`);
    for (const line of both) context.notify(line);
    if (!(await saidYes(is)))
      return { text: () => ['Nothing was changed.'], json: { from, to, updated: false }, code: 1 };
  }
  const before = await currentName(places);
  await change({ url, offered, signal });
  await prune(environment.privateFolder, [before, to]);
  const restart = await restartRows(environment.privateFolder, offered);
  const installed = {
    release: offered,
    launcher: places.launcher,
    pathLine: await pathLine(places, environment),
  };
  return {
    text: (paintedRow) => [
      paintedRow('updated', `from ${from} to ${to}`, 'green'),
      ...installedRows(installed)
        .slice(1)
        .map(([word, text]) => row(word, visible(text))),
      ...restart,
    ],
    json: { from, to, updated: true, launcher: places.launcher },
    code: 0,
  };
};

export const addUpdate = (program: Command, answer: AnswerWith): void => {
  const command = program
    .command('update')
    .description("install the server's release after a confirmation; nothing updates on its own")
    .option('--yes', 'do not ask')
    .option(...jsonFlag)
    .addHelpText('after', '\nExample:\n  $ drawbridge update');
  addInsecure(command);
  command.action((flags: UpdateFlags) => answer(flags, (context) => update(flags, context)));
};
