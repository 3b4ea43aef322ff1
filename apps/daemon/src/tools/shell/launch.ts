import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { CodedError } from '@drawbridge/kit';
import type { DeniedPaths } from '../../permission/index.ts';
import { errors } from '../errors.ts';
import type { Territory } from '../filesystem/protected.ts';
import { shellEnvironment } from './config.ts';
import { prelude } from './prelude.ts';
import { findProgram } from './programs.ts';
import { findProtectedPlaces } from './protected-places.ts';
import { secretPlaces } from './secret-places.ts';

/** How the prelude is started for one command. */
export interface Launch {
  file: string;
  arguments: string[];
  environment: Record<string, string>;
  /** Whether the process that is started holds all others: they end with it, and it must not end before them. */
  holds: boolean;
  /** To be called when nothing of it runs any more. */
  release(): Promise<void>;
}

/** Prepares one command. Throws `sandboxFailed`. */
export type Launcher = (given: { deniedPaths: DeniedPaths; signal: AbortSignal }) => Promise<Launch>;

const makeTemporary = async (): Promise<string> =>
  mkdtemp(join(await realpath(tmpdir()), 'drawbridge-shell-'));

const removeTemporary = (folder: string) => rm(folder, { recursive: true, force: true, maxRetries: 2 });

/** Without a sandbox: the command can do what the person can. */
export const createOpenLauncher =
  ({ root }: Territory): Launcher =>
  async () => {
    const temporary = await makeTemporary();
    return {
      file: '/bin/sh',
      arguments: ['-c', prelude],
      environment: { ...shellEnvironment(root), TMPDIR: temporary },
      holds: false,
      release: () => removeTemporary(temporary),
    };
  };

interface Rules {
  /** Closed for reading, with all below. */
  hidden: string[];
  writable: string[];
  /** Inside what is writable, but not to be written. */
  kept: string[];
  signal: AbortSignal;
}

/** The outer shell's text for the prelude inside the sandbox, and what clears up after it. */
interface Wrapped {
  text: string;
  release(): void;
}

const wrapOnLinux = async (
  { hidden, writable, kept, signal }: Rules,
  bwrapPath: string,
): Promise<Wrapped> => {
  // Straight to the wrapper: the package's manager would start proxies, and there is no network to give.
  const { wrapCommandWithSandboxLinux, cleanupBwrapMountPoints } =
    await import('@anthropic-ai/sandbox-runtime/dist/sandbox/linux-sandbox-utils.js');
  const { rgPath } = await import('@vscode/ripgrep');
  const text = await wrapCommandWithSandboxLinux({
    command: prelude,
    needsNetworkRestriction: true,
    readConfig: { denyOnly: hidden, allowWithinDeny: [] },
    writeConfig: { allowOnly: writable, denyWithinAllow: kept },
    binShell: '/bin/sh',
    bwrapPath,
    ripgrepConfig: { command: rgPath },
    // Its own search starts in the folder of this process; ours, in the root, is in `kept`.
    mandatoryDenySearchDepth: 0,
    abortSignal: signal,
  });
  return { text, release: () => cleanupBwrapMountPoints() };
};

const wrapOnMac = async ({ hidden, writable, kept }: Rules): Promise<Wrapped> => {
  const { wrapCommandWithSandboxMacOS } =
    await import('@anthropic-ai/sandbox-runtime/dist/sandbox/macos-sandbox-utils.js');
  const text = wrapCommandWithSandboxMacOS({
    command: prelude,
    needsNetworkRestriction: true,
    readConfig: { denyOnly: hidden, allowWithinDeny: [] },
    writeConfig: { allowOnly: writable, denyWithinAllow: kept },
    binShell: '/bin/sh',
  });
  return { text, release: () => undefined };
};

/**
 * In a sandbox: no network and no sockets, writing in the root and in a temporary folder of its own, nothing of what `secretPlaces`
 * names, and nothing that a deny rule names. Linux (bubblewrap) and macOS (Seatbelt).
 */
export const createSandboxedLauncher =
  (territory: Territory): Launcher =>
  async ({ deniedPaths, signal }) => {
    const environment = shellEnvironment(territory.root);
    const found = await findProtectedPlaces(territory, signal);
    const temporary = await makeTemporary();
    const rules: Rules = {
      hidden: [...secretPlaces(homedir(), process.platform), territory.privateFolder, ...deniedPaths.read],
      writable: [territory.root, temporary],
      kept: [territory.privateFolder, ...found, ...deniedPaths.write],
      signal,
    };
    try {
      const bwrap = findProgram('bwrap', environment.PATH);
      if (process.platform === 'linux' && bwrap === undefined)
        throw errors.sandboxFailed({ message: 'The sandbox needs bubblewrap, which is not there' });
      const wrapped = bwrap === undefined ? await wrapOnMac(rules) : await wrapOnLinux(rules, bwrap);
      return {
        file: '/bin/sh',
        arguments: ['-c', `exec ${wrapped.text}`],
        environment: { ...environment, TMPDIR: temporary },
        holds: process.platform === 'linux',
        release: () => {
          wrapped.release();
          return removeTemporary(temporary);
        },
      };
    } catch (cause) {
      await removeTemporary(temporary);
      signal.throwIfAborted();
      throw cause instanceof CodedError ? cause : errors.sandboxFailed({ cause });
    }
  };
