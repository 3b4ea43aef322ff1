import { execFile } from 'node:child_process';
import { mkdtemp, realpath } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { systemClock } from '@drawbridge/kit';
import { removeTree } from '@drawbridge/kit/node';
import { nanoid } from 'nanoid';
import { z } from 'zod';
import { userEnvironment } from '../../config.ts';
import { findProgram } from '../../paths/programs.ts';
import { parseJson } from '../../text/parse-json.ts';
import { createSandboxedLauncher } from '../shell/launch.ts';
import { openCommandEgress } from '../shell/network/command-egress.ts';
import { readAllDeclared } from '../shell/network/declared.ts';
import type { RunningProgram } from './driver.ts';
import { drivers } from './drivers.ts';
import { knownRuntimes, type KnownRuntime } from './known.ts';
import { startProgram } from './program.ts';
import { environmentOf, expand, type Runtime } from './runtimes-file.ts';

/** What is known of a coding agent on this machine, and the command that mends what is missing. */
export interface RuntimeState {
  id: string;
  title: string;
  enabled: boolean;
  path: string | null;
  version: string | null;
  /** Null for one whose login is not known here. */
  signedIn: boolean | null;
  missing: string | null;
  fix: string | null;
}

const versionMs = 20_000;
const status = z.object({ loggedIn: z.boolean() });

const versionOf = async (program: string): Promise<string | null> => {
  const { stdout } = await promisify(execFile)(program, ['--version'], { timeout: versionMs }).catch(() => ({
    stdout: '',
  }));
  return /\d+\.\d+\.\d+/.exec(stdout)?.[0] ?? null;
};

/** Whether a version is older than another one, by its numbers. */
const isOlder = (version: string, than: string): boolean => {
  const [mine, other] = [version, than].map((text) => text.split('.').map(Number));
  const at = mine?.findIndex((number, place) => number !== other?.[place]) ?? -1;
  return at !== -1 && (mine?.[at] ?? 0) < (other?.[at] ?? 0);
};

/** What the program itself says; null where it says nothing that is understood. */
const askProgram = async (
  program: string,
  { args, variables }: { args: readonly string[]; variables: Record<string, string> },
): Promise<boolean | null> => {
  const env = { ...userEnvironment(), ...variables };
  const run = promisify(execFile)(program, [...args], { timeout: versionMs, env });
  // Signed out, it exits with 1 and says so all the same.
  const { stdout } = await run.catch((error: { stdout?: string }) => ({ stdout: error.stdout ?? '' }));
  return parseJson(status, stdout)?.loggedIn ?? null;
};

/** With the variables that it is started with: a key may be in its entry. */
const isSignedIn = async (
  { signedIn: { files, variables: names, ask }, ...known }: KnownRuntime,
  { runtime, program }: { runtime: Runtime | undefined; program: string | null },
): Promise<boolean | null> => {
  const variables = environmentOf(runtime ?? known);
  if (ask !== undefined) return program === null ? null : askProgram(program, { args: ask, variables });
  return (
    files.some((file) => existsSync(expand(file))) || names.some((name) => (variables[name] ?? '') !== '')
  );
};

const missingOf = (
  { oldest, install, signIn }: KnownRuntime,
  { path, version, signedIn }: Pick<RuntimeState, 'path' | 'version' | 'signedIn'>,
): Pick<RuntimeState, 'missing' | 'fix'> => {
  if (path === null) return { missing: 'not found', fix: install };
  if (version !== null && isOlder(version, oldest))
    return { missing: `version ${version} is older than ${oldest}`, fix: install };
  if (signedIn === false) return { missing: 'not signed in', fix: signIn };
  return { missing: null, fix: null };
};

export interface Look {
  /** Where programs are found. */
  path: string;
  /** Starts one that is not enabled too, for its version: only for the person at the machine. */
  startsAll: boolean;
}

/** The state of the known coding agents and of those that were added. */
export const runtimeStates = async (
  enabled: ReadonlyMap<string, Runtime>,
  { path, startsAll }: Look,
): Promise<RuntimeState[]> => {
  const ids = [...new Set([...Object.keys(knownRuntimes), ...enabled.keys()])];
  return Promise.all(
    ids.map(async (id): Promise<RuntimeState> => {
      const runtime = enabled.get(id);
      const known = knownRuntimes[id];
      const found = runtime?.command ?? (known && findProgram(known.program, path)) ?? null;
      const place = found !== null && existsSync(found) ? found : null;
      const started = startsAll || runtime !== undefined ? place : null;
      const version = started === null ? null : await versionOf(started);
      const isAsked = known !== undefined && place !== null && (startsAll || runtime !== undefined);
      const signedIn = isAsked ? await isSignedIn(known, { runtime, program: started }) : null;
      const state = { path: place, version, signedIn };
      const gone = { missing: place === null ? 'not found' : null, fix: null };
      return {
        ...{ id, title: runtime?.title ?? known?.title ?? id, enabled: runtime !== undefined },
        ...state,
        ...(known === undefined ? gone : missingOf(known, state)),
      };
    }),
  );
};

/** Starts it in its walls, in an empty folder, without a task. Throws why it cannot be used. */
export const tryRuntime = async (
  id: string,
  runtime: Runtime,
  { privateFolder, signal }: { privateFolder: string; signal: AbortSignal },
): Promise<void> => {
  const root = await mkdtemp(join(await realpath(tmpdir()), 'drawbridge-try-'));
  const wanted = { toolGroup: 'runtime' as const, resource: id, description: '' };
  const declared = await readAllDeclared(runtime.hosts);
  const grants = declared.map((one) => ({ declared: one, resource: wanted }));
  const territory = { root, privateFolder };
  const network = {
    clock: systemClock,
    access: async () => 'ask' as const,
    ownPorts: new Set<number>(),
    territory,
  };
  let program: RunningProgram | undefined;
  try {
    const egress =
      grants.length === 0 ? undefined : await openCommandEgress(network, { grants, gitGrants: [] });
    const deniedPaths = { read: [], write: [] };
    const where = {
      id,
      runtime,
      privateFolder,
      cwd: root,
      tag: nanoid(),
      clock: systemClock,
      signal,
      deniedPaths,
    };
    const prepare = createSandboxedLauncher(territory);
    await drivers[runtime.protocol]({
      ...{ clock: systemClock, cwd: root, resume: null, mode: runtime.mode },
      instructionsOf: async () => '',
      start: async (line, args, module) =>
        (program = await startProgram({ ...where, prepare, egress, line, args, module })),
    });
  } finally {
    program?.kill();
    await program?.ended;
    await removeTree(root);
  }
};
