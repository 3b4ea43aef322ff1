import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, existsSync, fstatSync, openSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { Readable, Writable } from 'node:stream';
import type { ProgressBody } from '@drawbridge/contracts/daemon-surface';
import { hasCode, type Clock } from '@drawbridge/kit';
import type { DeniedPaths } from '../../permission/index.ts';
import { errors } from '../common/errors.ts';
import { openFolder } from '../../paths/open.ts';
import { createCapture } from './capture.ts';
import { inheritedFiles } from './inherited-files.ts';
import { firstInput, type Launch, type Launcher } from './launch.ts';
import type { CommandEgress } from './network/command-egress.ts';
import { takeListeners } from './network/take-listeners.ts';
import { treeLimits, watchLimits, type Excess, type TreeLimits } from './limits/watch-limits.ts';
import { createLiveOutput } from './live-output.ts';
import { noChange } from './sandbox/run-files.ts';
import type { Left } from './sandbox/set-aside.ts';
import { channelFile, isRefusal, preludeEnvironment, refusalFile } from './sandbox/prelude.ts';
import { endTree, send } from '../../processes/process-tree.ts';

export interface Command {
  /** Of this command alone on the machine: all processes that carry it end with the command. */
  tag: string;
  text: string;
  cwd: string;
  timeoutMs: number;
  clock: Clock;
  signal: AbortSignal;
  deniedPaths: DeniedPaths;
  /** Where the command has network: takes the listeners that it hands over. */
  egress?: Pick<CommandEgress, 'mirrors' | 'repositories' | 'serve'> | undefined;
  /** Those of the product where nothing is said. */
  limits?: TreeLimits;
  progress(update: ProgressBody): void;
}

export interface Ended {
  stdout: string;
  stderr: string;
  /** Null when a signal ended it. In a sandbox that is 128 and the signal's number, as in a shell. */
  exitCode: number | null;
  timedOut: boolean;
  /** The limit for all that it started that ended it. */
  exceeded?: Excess;
  /** What the sandbox did with what the command made, and what it changed that other programs run. */
  left: Left;
}

const hasDescriptors = process.platform === 'linux' && existsSync('/proc/self/fd');

/** Files from 3 on: pipes, the channel for listeners, and `nothing` in place of every inherited file. */
const furtherFiles = (pipes: readonly ('pipe' | 'ipc')[], nothing: number) => {
  const inherited = new Set(inheritedFiles());
  const places = Math.max(refusalFile + pipes.length - 1, ...inherited) - refusalFile + 1;
  return Array.from({ length: places }, (_, at): number | 'ignore' | 'pipe' | 'ipc' => {
    const own = pipes[at];
    if (own !== undefined) return own;
    return inherited.has(refusalFile + at) ? nothing : 'ignore';
  });
};

const feed = (child: ChildProcess, inputs: Buffer[]): void => {
  for (const [at, bytes] of inputs.entries()) {
    const stream = child.stdio[firstInput + at];
    if (!(stream instanceof Writable)) throw errors.sandboxFailed();
    // It may end before it has read: its exit says so.
    stream.on('error', () => undefined);
    stream.end(bytes);
  }
};

/** Collects what comes on a pipe, in full once all has ended. */
const collect = (child: ChildProcess, file: number): (() => string) => {
  const stream = child.stdio[file];
  if (!(stream instanceof Readable)) throw errors.sandboxFailed();
  let text = '';
  stream.on('error', () => undefined);
  stream.on('data', (chunk: Buffer) => void (text += chunk.toString('latin1')));
  return () => text;
};

/** The launch report: whether the command was started, once all has ended; and the process that holds all. */
const readReport = (child: ChildProcess, { inputs, reports }: Launch) => {
  const report = reports ? collect(child, firstInput + inputs.length) : () => '"exit-code"';
  return {
    isStarted: () => report().includes('"exit-code"'),
    innermost: () => Number(/"child-pid": *(\d+)/.exec(report())?.[1]),
  };
};

const openWorkingFolder = (path: string) => {
  try {
    return openFolder(path);
  } catch (cause) {
    if (hasCode(cause, 'ENOENT') || hasCode(cause, 'ENOTDIR')) throw errors.changed({ cause });
    throw cause;
  }
};

/** The channel is last: its number is the prelude's, which closes it before the command starts. */
const ownFiles = ({ inputs, reports, listeners }: Launch): ('pipe' | 'ipc')[] => {
  const pipes = Array.from({ length: 1 + inputs.length + (reports ? 1 : 0) }, () => 'pipe' as const);
  if (listeners === 0) return pipes;
  if (refusalFile + pipes.length !== channelFile) throw errors.sandboxFailed();
  return [...pipes, 'ipc'];
};

const start = (command: Command, launch: Launch) => {
  // Entered through its descriptor; inside the sandbox the prelude checks that it is still the same folder.
  const folder = openWorkingFolder(command.cwd);
  const nothing = openSync('/dev/null', 'r');
  try {
    const variables = preludeEnvironment({
      folder: command.cwd,
      inode: fstatSync(folder.fd, { bigint: true }).ino,
      tag: command.tag,
      text: command.text,
    });
    const child = spawn(launch.file, launch.arguments, {
      cwd: hasDescriptors ? folder.entry('.') : command.cwd,
      env: { ...launch.environment, ...variables },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe', ...furtherFiles(ownFiles(launch), nothing)],
    });
    const { stdout, stderr } = child;
    if (stdout === null || stderr === null) throw errors.sandboxFailed();
    feed(child, launch.inputs);
    const refused = collect(child, refusalFile);
    return { child, stdout, stderr, refused, ...readReport(child, launch) };
  } finally {
    closeSync(nothing);
    closeSync(folder.fd);
  }
};

/** Like its `close`, which Node does not emit after the daemon has closed the channel for listeners. */
const onceClosed = (child: ChildProcess, run: (code: number | null) => void): void => {
  const open = new Set(child.stdio.flatMap((stream) => stream ?? []));
  let ended: { code: number | null } | undefined;
  const look = () => {
    if (ended !== undefined && open.size === 0) run(ended.code);
  };
  for (const stream of open)
    stream.once('close', () => {
      open.delete(stream);
      look();
    });
  child.once('exit', (code) => {
    ended = { code };
    look();
  });
};

type Held = Pick<ReturnType<typeof start>, 'child' | 'innermost'>;

/** Kills the first process of the sandbox: it ends last, and what started it ends after that. */
const endAtOnce = ({ child, innermost }: Held): void => {
  const pid = innermost();
  if (pid > 1 && child.exitCode === null) send(pid, 'SIGKILL');
};

const watchUsage = (
  { cwd, clock, limits = treeLimits }: Command,
  { child: { pid } }: Held,
  exceeded: (what: Excess) => void,
): (() => void) =>
  pid === undefined
    ? () => undefined
    : watchLimits({ pid, folders: [cwd, tmpdir()], limits, clock }, exceeded);

const checkEveryMs = 20;

/** Ends the command when a wall comes off. Gives what ends the watch, which begins with the command. */
const watchWalls = ({ child, innermost }: Held, { areIntact }: Launch, clock: Clock): (() => void) => {
  const over = new AbortController();
  const check = () => {
    if (!areIntact()) endAtOnce({ child, innermost });
  };
  // The prelude closes it when it starts the command.
  child.stdio[refusalFile]?.once('end', () => {
    if (over.signal.aborted) return;
    over.signal.addEventListener('abort', clock.every(checkEveryMs, check));
    check();
  });
  return () => over.abort();
};

/** `isStarted` is false where the sandbox could not be built: nothing of the command ran. */
interface Followed extends Omit<Ended, 'left'> {
  isStarted: boolean;
}

const follow = (command: Command, launch: Launch): Promise<Followed> =>
  new Promise((resolve, reject) => {
    const captured = { stdout: createCapture(), stderr: createCapture() };
    const started = start(command, launch);
    const { child, stdout, stderr, refused, isStarted } = started;
    const live = createLiveOutput(command.clock, command.progress);
    let timedOut = false;
    let exceeded: Excess | undefined;
    let treeEnded: Promise<void> | undefined;
    const end = () => {
      if (child.pid === undefined) return;
      const own = launch.holds ? { holder: child.pid } : { group: child.pid };
      treeEnded ??= endTree({ ...own, tag: command.tag }, command.clock);
    };
    const cancelTimer = command.clock.after(command.timeoutMs, () => {
      timedOut = true;
      end();
    });
    command.signal.addEventListener('abort', end, { once: true });
    const handedOver = takeListeners(child, {
      count: launch.listeners,
      serve: (port, listener) => command.egress?.serve(port, listener),
      forged: end,
    });
    const endWatch = watchWalls(started, launch, command.clock);
    child.once('exit', endWatch);
    const endLimits = watchUsage(command, started, (what) => {
      exceeded ??= what;
      if (launch.holds) endAtOnce(started);
      end();
    });
    const cleanUp = () => {
      endWatch();
      endLimits();
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
    onceClosed(child, (code) => {
      // It is set by the exit, which comes first.
      void treeEnded?.then(() => {
        cleanUp();
        const ended = {
          stdout: captured.stdout.text(),
          stderr: captured.stderr.text(),
          timedOut,
          ...(exceeded && { exceeded }),
        };
        if (command.signal.aborted) reject(command.signal.reason);
        else if (isRefusal(refused(), code)) reject(errors.changed());
        else if (!handedOver() && isStarted() && !timedOut) reject(errors.noNetwork());
        else resolve({ ...ended, exitCode: timedOut ? null : code, isStarted: isStarted() });
      });
    });
  });

const runOnce = async (command: Command, prepare: Launcher): Promise<Followed & Pick<Ended, 'left'>> => {
  command.signal.throwIfAborted();
  const launch = await prepare(command);
  let left: Left = { notes: [], changed: noChange };
  const ended = await (async () => {
    try {
      command.signal.throwIfAborted();
      return await follow(command, launch);
    } finally {
      left = await launch.release();
    }
  })();
  return { ...ended, left };
};

const maxStarts = 5;
/** bubblewrap's words for a path of its arguments that is no longer there. */
const saysGone = /^bwrap: Can't (find source path|mkdir|create file at|get type of source|bind mount) /;

/**
 * Runs a text with `/bin/sh`, without input. Time-out, abort and its own end terminate all that it started.
 * Throws `sandboxFailed` and `changed`; rejects on abort, once nothing of it runs any more.
 */
export const runCommand = async (command: Command, prepare: Launcher): Promise<Ended> => {
  for (let starts = 1; ; starts += 1) {
    const { isStarted, ...ended } = await runOnce(command, prepare);
    const isGone = !isStarted && ended.exitCode === 1 && saysGone.test(ended.stderr);
    if (!isGone || starts === maxStarts) return ended;
  }
};
