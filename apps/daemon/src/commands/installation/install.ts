import { realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, sep } from 'node:path';
import { releaseName, type Release } from '@drawbridge/contracts/release';
import { systemClock, visible } from '@drawbridge/kit';
import type { Command } from 'commander';
import { userEnvironment, type Environment } from '../../config.ts';
import {
  addVersion,
  copyOf,
  fromPackage,
  installedPlaces,
  installErrors,
  isThere,
  keepForeign,
  npxFolder,
  pathLine,
  putLauncher,
  useVersion,
  type NewVersion,
} from '../../install/index.ts';
import { ownCommand } from '../../program/own-command.ts';
import { jsonFlag, type Answer, type AnswerWith } from '../common/command.ts';

export interface InstallNeeds {
  environment: Environment;
  release: Release;
}

export const ownScript = (): Promise<string> => realpath(process.argv[1] ?? '');

/** Whether a script is that of an installed release. */
export const isInstalled = async (script: string): Promise<boolean> => {
  const versions = await realpath(installedPlaces(homedir()).versions).catch(() => null);
  return versions !== null && script.startsWith(versions + sep);
};

/** Whether it was started by npx, so that npm may clear it away at any time. */
export const isFromNpx = async (): Promise<boolean> => npxFolder(await ownScript()) !== null;

/** Where a copy of what runs here comes from; null where what runs is an installed release already. */
const sourceOf = async (script: string, release: Release): Promise<Omit<NewVersion, 'nowMs'> | null> => {
  if (await isInstalled(script)) return null;
  const npx = npxFolder(script);
  if (npx !== null) return { fill: copyOf(npx), expected: release };
  // A checkout has its package beside what was built.
  const packed = join(dirname(script), 'daemon.tgz');
  if (!(await isThere(packed)) || process.platform === 'win32') throw installErrors.notInstallable();
  return { fill: fromPackage(packed, userEnvironment()) };
};

/** Keeps what runs here as the release that is used. It gets no launcher. */
export const keepProgram = async (release: Release): Promise<Release> => {
  const places = installedPlaces(homedir());
  const source = await sourceOf(await ownScript(), release);
  const kept = source === null ? release : await addVersion(places, { ...source, nowMs: systemClock.now() });
  await useVersion(places, kept);
  return kept;
};

/** Installs what runs here for this user. Throws coded errors, and then has changed nothing that is used. */
export const installHere = async ({ environment, release }: InstallNeeds) => {
  const places = installedPlaces(homedir());
  await keepForeign(places);
  const kept = await keepProgram(release);
  await putLauncher(places);
  return {
    release: kept,
    launcher: places.launcher,
    /** What puts the launcher's folder in PATH; null where it is there. */
    pathLine: await pathLine(places, environment),
  };
};

export type Installed = Awaited<ReturnType<typeof installHere>>;

const notInPath = (launcher: string, line: string): [string, string][] => [
  ['next', `${dirname(launcher)} is not in PATH. Run this line, then open a new terminal:`],
  ['', line],
];

export const installedRows = ({ release, launcher, pathLine: line }: Installed): [string, string][] => [
  ['installed', `drawbridge ${releaseName(release)}`],
  ['launcher', launcher],
  ...(line === null ? [] : notInPath(launcher, line)),
];

const install = async (needs: InstallNeeds): Promise<Answer> => {
  const installed = await installHere(needs);
  const rows = installedRows(installed);
  const start = ownCommand('connect');
  return {
    text: (row) => [
      ...rows.map(([word, text], at) => row(word, visible(text), at === 0 ? 'green' : undefined)),
      row('start', visible(start), 'cyan'),
    ],
    json: {
      release: releaseName(installed.release),
      launcher: installed.launcher,
      pathLine: installed.pathLine,
      start,
    },
    code: 0,
  };
};

export const addInstall = (program: Command, answer: AnswerWith): void => {
  program
    .command('install')
    .description('install this program for this user: below ~/.drawbridge, with a launcher in ~/.local/bin')
    .option(...jsonFlag)
    .addHelpText('after', '\nExample:\n  $ drawbridge install')
    .action((options: { json?: boolean }) => answer(options, install));
};
