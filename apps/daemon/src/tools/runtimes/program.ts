import { mkdirSync, statSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { dirname, join, sep } from 'node:path';
import { cutText, visible, type Clock } from '@drawbridge/kit';
import { withoutKeys } from '@drawbridge/kit/node';
import type { DeniedPaths } from '../../permission/index.ts';
import { realPathOf } from '../../program/quiet-files.ts';
import { createLines } from '../mcp/transport/lines.ts';
import { followCommand, type CommandHandle, type FollowedEnd } from '../shell/follow-command.ts';
import type { Launcher } from '../shell/launch.ts';
import type { CommandEgress } from '../shell/network/command-egress.ts';
import { runtimeErrors, type RunningProgram } from './driver.ts';
import { environmentOf, expand, type Runtime } from './runtimes-file.ts';

const maxFrameBytes = 16 * 1024 * 1024;
const maxErrorText = 2_048;

/** The folder that has to be seen for a program to start: all packages beside it, or where it lies. */
const folderOf = (program: string): string => {
  const packages = program.indexOf(`${sep}node_modules${sep}`);
  return packages === -1 ? dirname(program) : program.slice(0, packages + `${sep}node_modules`.length);
};

const isThere = (path: string): boolean => statSync(path, { throwIfNoEntry: false }) !== undefined;

/** The folder of ours that a program sees in the place of one in the home folder. */
const ownFolder = (privateFolder: string, { id, place }: { id: string; place: string }): string => {
  const name = createHash('sha256').update(place).digest('hex').slice(0, 16);
  const folder = join(privateFolder, 'runtimes', id.replace(':', '-'), name);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
};

/** Arguments of bubblewrap for what a program sees beside the walls of a command. */
const mountsOf = (privateFolder: string, { id, runtime }: { id: string; runtime: Runtime }): string[] => {
  const program = realPathOf(runtime.command);
  if (program === undefined)
    throw runtimeErrors.unavailable({ message: `${runtime.title}: ${runtime.command} is not there` });
  const mount = (option: string) => (path: string) =>
    isThere(expand(path)) ? [option, expand(path), expand(path)] : [];
  return [
    ...['--ro-bind', folderOf(program), folderOf(program)],
    ...runtime.fresh.flatMap((place) => ['--tmpfs', expand(place)]),
    ...runtime.folders.flatMap((place) => ['--bind', ownFolder(privateFolder, { id, place }), expand(place)]),
    ...runtime.reads.flatMap(mount('--ro-bind')),
    ...runtime.writes.flatMap(mount('--bind')),
  ];
};

const quote = (word: string): string => `'${word.replaceAll("'", String.raw`'\''`)}'`;

const commandText = (
  { command, args }: Runtime,
  { args: more = [], module }: Pick<ProgramNeeds, 'args' | 'module'>,
): string => {
  const words = [realPathOf(command) ?? command, ...args, ...more].map(quote).join(' ');
  if (module === undefined) return `exec ${words}`;
  // In its own folder for temporary files, which no other program sees.
  return `folder=$(mktemp -d) && printf %s ${quote(module)} > "$folder/module.mjs" && exec ${words} "$folder/module.mjs"`;
};

const endWords = ({ exitCode, exceeded }: FollowedEnd, errors: string, isTooLong: boolean): string => {
  const used = exceeded ? `it used too much (${exceeded})` : `exit code ${exitCode ?? 'unknown'}`;
  const how = isTooLong ? 'it wrote a message of more than 16 MiB' : used;
  const said = withoutKeys(visible(errors.trim()));
  return said === '' ? how : `${how}; it wrote: ${said}`;
};

export interface ProgramNeeds {
  id: string;
  runtime: Runtime;
  privateFolder: string;
  /** The folder that it works in: a real path. */
  cwd: string;
  tag: string;
  clock: Clock;
  signal: AbortSignal;
  deniedPaths: DeniedPaths;
  prepare: Launcher;
  egress: CommandEgress | undefined;
  /** Of the driver, behind those of its entry. */
  args?: readonly string[] | undefined;
  /** The text of a module that it gets as its last argument. */
  module?: string | undefined;
  /** What it writes, line by line. */
  line(text: string): void;
}

/** Starts a coding agent in the walls of commands. Resolves when it runs. */
export const startProgram = async (needs: ProgramNeeds): Promise<RunningProgram> => {
  const { runtime, privateFolder, cwd, tag, clock, deniedPaths, prepare, egress } = needs;
  const over = new AbortController();
  const started = Promise.withResolvers<void>();
  let handle: CommandHandle | undefined;
  let errorText = '';
  let isTooLong = false;
  const kill = () => {
    over.abort();
    void handle?.signal('SIGKILL');
  };
  const open = (next: CommandHandle) => {
    handle = next;
    const tooLong = () => {
      isTooLong = true;
      kill();
    };
    const lines = createLines(maxFrameBytes, { line: needs.line, tooLong });
    started.resolve();
    return (name: 'stdout' | 'stderr', chunk: Buffer) => {
      if (name === 'stdout') lines(chunk);
      else errorText = (errorText + chunk.toString('utf8')).slice(-maxErrorText);
    };
  };
  const extra = { mounts: mountsOf(privateFolder, needs), environment: environmentOf(runtime) };
  const command = {
    ...{
      tag,
      text: commandText(runtime, needs),
      cwd,
      clock,
      deniedPaths,
      egress,
      extra,
      hasInput: true,
      open,
    },
    signal: over.signal,
  };
  const end = () => kill();
  needs.signal.throwIfAborted();
  const ended = followCommand(command, prepare)
    .then(
      (followed) => endWords(followed, errorText, isTooLong),
      (error: unknown) => (error instanceof Error ? error.message : 'it could not be started'),
    )
    .finally(() => egress?.close());
  const failed = ended.then((why): never => {
    throw runtimeErrors.unavailable({ message: `${runtime.title}: ${cutText(why, 1_000)}` });
  });
  needs.signal.addEventListener('abort', end, { once: true });
  try {
    await Promise.race([started.promise, failed]);
  } finally {
    needs.signal.removeEventListener('abort', end);
  }
  failed.catch(() => undefined);
  return {
    send: (line) => {
      if (handle?.stdin?.writable === true) handle.stdin.write(`${line}\n`);
    },
    close: () => void handle?.stdin?.end(),
    ended,
    kill,
  };
};
