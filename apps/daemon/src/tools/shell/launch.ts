import { mkdtemp, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CodedError } from '@drawbridge/kit';
import type { DeniedPaths } from '../../permission/index.ts';
import { errors } from '../common/errors.ts';
import { closedBy, protectedNames, type Territory } from '../../paths/protected.ts';
import { temporaryInside } from './sandbox/bubblewrap.ts';
import { cacheBase, shellEnvironment, withoutNetwork } from './config.ts';
import { keptNames } from '../../paths/run-names.ts';
import { prelude, refusalFile } from './sandbox/prelude.ts';
import { findProgram } from '../../paths/programs.ts';
import type { Repository } from './git/repositories.ts';
import { openCaches } from './network/caches.ts';
import { networkEnvironment } from './network/environment.ts';
import { handOutEnvironment, placeHandOut } from './network/hand-out.ts';
import { proxyPort, relayPort } from './ports/sandbox-ports.ts';
import { broughtNodeFolder } from '../../program/places.ts';
import { terminalEnvironment, type TerminalSize } from './terminal/terminal.ts';
import { findProtectedPlaces } from './sandbox/protected-places.ts';
import { changedRunFiles, noChange } from './sandbox/run-files.ts';
import type { Left } from './sandbox/set-aside.ts';
import { systemCallFilter } from './sandbox/seccomp.ts';
import { createWalls, removeFolder } from './sandbox/walls.ts';
import { findVisible, type VisibleNeeds } from './sandbox/visible/visible-places.ts';

export interface Launch {
  file: string;
  arguments: string[];
  environment: Record<string, string>;
  /** Whether all processes end with the started one, which must not end before them. */
  holds: boolean;
  /** Bytes that it reads from its files 4, 5, …. File 3 is the prelude's. */
  inputs: Buffer[];
  /** Whether it reports after its inputs, as `--json-status-fd` does: an exit code means a start. */
  reports: boolean;
  /** How many listeners of its network it hands over before the command starts. */
  listeners: number;
  /** Asked while it runs: whether the sandbox still holds what it held at the start. */
  areIntact(): boolean;
  /** Called when nothing of it runs any more. */
  release(): Promise<Left>;
}

/** The number of the first of a launch's inputs. */
export const firstInput = refusalFile + 1;

interface Need {
  /** The command. */
  text: string;
  deniedPaths: DeniedPaths;
  signal: AbortSignal;
  /** Present where the command has network; ports of this machine that its loopback leads to. */
  egress?: { mirrors: readonly number[]; repositories: readonly Repository[] } | undefined;
  /** Present where its ports are reached from outside. */
  relay?: object | undefined;
  /** Present where it has a terminal. */
  terminal?: TerminalSize | undefined;
  /** What a program of the owner's choice gets beside the walls of a command: arguments of bubblewrap. */
  extra?: { mounts: readonly string[]; environment: Record<string, string> } | undefined;
}

/** Prepares one command. Throws `sandboxFailed`. */
export type Launcher = (need: Need) => Promise<Launch>;

const makeTemporary = async (): Promise<string> =>
  mkdtemp(join(await realpath(tmpdir()), 'drawbridge-shell-'));

/** Without a sandbox: the command can do what the person can. */
export const createOpenLauncher =
  ({ root }: Territory): Launcher =>
  async () => {
    const temporary = await makeTemporary();
    return {
      file: '/bin/sh',
      arguments: ['-c', prelude],
      environment: { ...shellEnvironment(root), TMPDIR: temporary },
      inputs: [],
      reports: false,
      listeners: 0,
      areIntact: () => true,
      holds: false,
      release: async () => ({ notes: await removeFolder(temporary), changed: noChange }),
    };
  };

/** What differs between systems; the rest has one value on most of them. */
type Prepared = Pick<Launch, 'file' | 'arguments' | 'holds' | 'release'> &
  Partial<Launch> & { temporary: string; variables?: Record<string, string> };

interface Rules {
  /** Closed for reading, with all below. */
  hidden: string[];
  /** Inside of what is hidden, and yet to be read. */
  shown: string[];
  writable: string[];
  /** Inside what is writable, but not to be written. */
  kept: string[];
}

const wrapOnMac = async ({ hidden, shown, writable, kept }: Rules): Promise<string> => {
  const { wrapCommandWithSandboxMacOS } =
    await import('@anthropic-ai/sandbox-runtime/dist/sandbox/macos-sandbox-utils.js');
  return wrapCommandWithSandboxMacOS({
    command: prelude,
    needsNetworkRestriction: true,
    readConfig: { denyOnly: hidden, allowWithinDeny: shown },
    writeConfig: { allowOnly: writable, denyWithinAllow: kept },
    binShell: '/bin/sh',
  });
};

/** What holds the files of people and of running programs; a denial inside of what is shown holds too. */
const deniedOnMac = [
  '/Users',
  '/Volumes',
  '/Network',
  ...['folders', 'root', 'tmp'].map((name) => `/private/var/${name}`),
  '/private/tmp',
];

/** Seatbelt protects a name also where no file stands. */
const namesInRoot = (root: string): string[] =>
  [...protectedNames, ...keptNames].map((name) => join(root, name));

const prepareOnMac = async (
  territory: VisibleNeeds,
  { deniedPaths, signal }: Need,
  temporary: string,
): Promise<Prepared> => {
  const { root } = territory;
  const { kept, unseen, named, runFiles } = await findProtectedPlaces(territory, { signal });
  const { opened, closed } = findVisible(territory, shellEnvironment(root).PATH);
  const text = await wrapOnMac({
    hidden: [...deniedOnMac, ...closed, ...closedBy(territory), ...deniedPaths.read],
    shown: [root, temporary, ...opened, broughtNodeFolder(territory.privateFolder)],
    writable: [root, temporary],
    kept: [...closedBy(territory), ...namesInRoot(root), ...kept.keys(), ...unseen, ...deniedPaths.write],
  });
  return {
    file: '/bin/sh',
    arguments: ['-c', `exec ${text}`],
    temporary,
    holds: false,
    release: async () => {
      const after = await findProtectedPlaces(territory, { named, without: unseen, limit: Infinity });
      return { notes: [], changed: changedRunFiles(territory.root, runFiles, after.runFiles) };
    },
  };
};

interface Options {
  /** Folders to inspect before each command, on Linux. */
  limit?: number | undefined;
  /** Where caches of package tools are kept; the user's folder for caches where nothing is said. */
  caches?: string | undefined;
}

const createLinuxPreparer = (territory: VisibleNeeds, { limit, caches = cacheBase() }: Options) => {
  const walls = createWalls(territory, limit);
  const filter = systemCallFilter(process.arch);
  return async (need: Need, temporary: string) => {
    const file = findProgram('bwrap', shellEnvironment(territory.root).PATH);
    if (file === undefined)
      throw errors.sandboxFailed({ message: 'The sandbox needs bubblewrap, which is not installed' });
    if (filter === undefined)
      throw errors.sandboxFailed({
        message: `The sandbox has no filter for this processor (${process.arch})`,
      });
    const inside = temporaryInside(territory.root, temporary);
    const { egress, relay } = need;
    const listeners = [
      ...(egress === undefined ? [] : [proxyPort, ...egress.mirrors]),
      ...(relay === undefined ? [] : [relayPort]),
    ];
    const handOut = listeners.length === 0 ? undefined : await placeHandOut(temporary, inside);
    const kept = openCaches(caches, {
      root: territory.root,
      hasNetwork: egress !== undefined,
      command: need.text,
    });
    const built = await walls.build({
      ...need,
      temporary,
      caches: [...kept.mounts, ...(need.extra?.mounts ?? [])],
    });
    const { arguments: before, areIntact, release, variables } = built;
    const files = ['--seccomp', String(firstInput), '--json-status-fd', String(firstInput + 1)];
    return {
      file,
      arguments: [...before, ...(handOut?.mounts ?? []), ...files, '--', '/bin/sh', '-c', prelude],
      inputs: [filter],
      reports: true,
      temporary: inside,
      variables: {
        ...variables,
        ...(handOut && handOutEnvironment(handOut, { listeners, hasRelay: relay !== undefined })),
        ...(handOut && egress ? networkEnvironment(handOut, egress.repositories) : withoutNetwork),
        ...kept.environment,
        ...(need.terminal && terminalEnvironment(territory.root, need.terminal)),
        ...need.extra?.environment,
      },
      listeners: listeners.length,
      holds: true,
      areIntact,
      release,
    };
  };
};

/**
 * A sandbox with bubblewrap (Linux) or Seatbelt (macOS): no network, writes in the root and a temporary
 * folder only, reads there, of the system and toolchains.
 */
export const createSandboxedLauncher = (territory: VisibleNeeds, options: Options = {}): Launcher => {
  const onLinux = createLinuxPreparer(territory, options);
  return async (need) => {
    const temporary = await makeTemporary();
    try {
      const {
        temporary: inside,
        variables = withoutNetwork,
        ...launch
      }: Prepared = process.platform === 'darwin'
        ? await prepareOnMac(territory, need, temporary)
        : await onLinux(need, temporary);
      return {
        inputs: [],
        reports: false,
        listeners: 0,
        areIntact: () => true,
        ...launch,
        environment: { ...shellEnvironment(territory.root), ...variables, TMPDIR: inside },
        release: async () => {
          const left = await launch.release();
          return { ...left, notes: [...left.notes, ...(await removeFolder(temporary))] };
        },
      };
    } catch (cause) {
      await removeFolder(temporary);
      need.signal.throwIfAborted();
      throw cause instanceof CodedError ? cause : errors.sandboxFailed({ cause });
    }
  };
};
