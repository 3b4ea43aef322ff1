import { spawn } from 'node:child_process';
import { closeSync, existsSync, fstatSync, openSync } from 'node:fs';
import type { Readable } from 'node:stream';
import type { ProgressBody } from '@drawbridge/contracts';
import type { Clock } from '@drawbridge/kit';
import type { DeniedPaths } from '../../permission/index.ts';
import { errors } from '../errors.ts';
import { openFolder } from '../filesystem/open.ts';
import { createCapture } from './capture.ts';
import { inheritedFiles } from './inherited-files.ts';
import type { Launch, Launcher } from './launch.ts';
import { createLiveOutput } from './live-output.ts';
import { preludeEnvironment } from './prelude.ts';
import { endTree } from './process-tree.ts';

export interface Command {
  /** Names the call in the environment of all that it starts. */
  mark: string;
  text: string;
  /** A real path. */
  cwd: string;
  timeoutMs: number;
  clock: Clock;
  signal: AbortSignal;
  deniedPaths: DeniedPaths;
  progress(update: ProgressBody): void;
}

export interface Ended {
  stdout: string;
  stderr: string;
  /** Null when a signal ended it. In a sandbox that is 128 and the signal's number, as in a shell. */
  exitCode: number | null;
  timedOut: boolean;
}

const hasDescriptors = process.platform === 'linux' && existsSync('/proc/self/fd');

/** `nothing` in the place of every open file that a command must not get. */
const insteadOfInherited = (nothing: number): (number | 'ignore')[] => {
  const inherited = new Set(inheritedFiles());
  const places = inherited.size === 0 ? 0 : Math.max(...inherited) - 2;
  return Array.from({ length: places }, (_, at) => (inherited.has(at + 3) ? nothing : 'ignore'));
};

const start = (command: Command, launch: Launch) => {
  // The folder is held open and entered through its descriptor; inside the sandbox the prelude looks whether it is still that one.
  const folder = openFolder(command.cwd);
  const nothing = openSync('/dev/null', 'r');
  try {
    const { refusal, variables } = preludeEnvironment({
      folder: command.cwd,
      inode: fstatSync(folder.fd, { bigint: true }).ino,
      mark: command.mark,
      text: command.text,
    });
    const child = spawn(launch.file, launch.arguments, {
      cwd: hasDescriptors ? folder.entry('.') : command.cwd,
      env: { ...launch.environment, ...variables },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe', ...insteadOfInherited(nothing)],
    });
    const { stdout, stderr } = child;
    if (stdout === null || stderr === null) throw errors.sandboxFailed();
    return { child, stdout, stderr, refusal };
  } finally {
    closeSync(nothing);
    closeSync(folder.fd);
  }
};

const follow = (command: Command, launch: Launch): Promise<Ended> =>
  new Promise((resolve, reject) => {
    const captured = { stdout: createCapture(), stderr: createCapture() };
    const { child, stdout, stderr, refusal } = start(command, launch);
    const live = createLiveOutput(command.clock, command.progress);
    let timedOut = false;
    let ending = false;
    let treeEnded: () => void = () => undefined;
    const allEnded = new Promise<void>((done) => {
      treeEnded = done;
    });
    const end = () => {
      if (ending || child.pid === undefined) return;
      ending = true;
      const own = launch.holds ? { holder: child.pid } : { group: child.pid };
      endTree({ ...own, mark: command.mark }, command.clock, treeEnded);
    };
    const cancelTimer = command.clock.after(command.timeoutMs, () => {
      timedOut = true;
      end();
    });
    command.signal.addEventListener('abort', end, { once: true });
    const cleanUp = () => {
      cancelTimer();
      live.end();
      command.signal.removeEventListener('abort', end);
    };
    const listen = (stream: Readable, name: 'stdout' | 'stderr') =>
      stream.on('data', (chunk: Buffer) => {
        captured[name].add(chunk);
        live.add(name, chunk);
      });
    listen(stdout, 'stdout');
    listen(stderr, 'stderr');
    child.once('error', (error) => {
      cleanUp();
      reject(error);
    });
    child.once('exit', end);
    child.once('close', (code) => {
      void allEnded.then(() => {
        cleanUp();
        const ended = { stdout: captured.stdout.text(), stderr: captured.stderr.text(), timedOut };
        if (command.signal.aborted) reject(command.signal.reason);
        else if (ended.stderr === refusal) reject(errors.changed());
        else resolve({ ...ended, exitCode: timedOut ? null : code });
      });
    });
  });

/**
 * Runs a text with `/bin/sh`, without input, in a small environment. Time-out and abort end all that it started; so does its own end.
 * Throws `sandboxFailed`, and `changed` where the folder is another one by now. Rejects with the signal's reason when aborted, once
 * nothing of it runs any more.
 */
export const runCommand = async (command: Command, prepare: Launcher): Promise<Ended> => {
  command.signal.throwIfAborted();
  const launch = await prepare(command);
  try {
    command.signal.throwIfAborted();
    return await follow(command, launch);
  } finally {
    await launch.release();
  }
};
