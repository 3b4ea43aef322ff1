import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, existsSync, fstatSync, openSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { Readable, Writable } from 'node:stream';
import { hasCode, type Clock } from '@drawbridge/kit';
import type { DeniedPaths } from '../../permission/index.ts';
import { errors } from '../common/errors.ts';
import { openFolder } from '../../paths/open.ts';
import { inheritedFiles } from './inherited-files.ts';
import { firstInput, type Launch, type Launcher } from './launch.ts';
import type { CommandEgress } from './network/command-egress.ts';
import type { PortRelay } from './ports/port-relay.ts';
import { relayPort } from './ports/sandbox-ports.ts';
import { takeListeners } from './network/take-listeners.ts';
import { treeLimits, watchLimits, type Excess, type TreeLimits } from './limits/watch-limits.ts';
import type { TerminalSize } from './terminal/terminal.ts';
import { noChange } from './sandbox/run-files.ts';
import type { Left } from './sandbox/set-aside.ts';
import { channelFile, isRefusal, preludeEnvironment, refusalFile } from './sandbox/prelude.ts';
import { endTree, hasNamespaceEnded, send, sendToTagged } from '../../processes/process-tree.ts';

/** The running end of a command, while it runs. */
export interface CommandHandle {
  /** Null where it has no input. */
  stdin: Writable | null;
  /** For all of its processes; they may ignore it. */
  signal(signal: NodeJS.Signals): Promise<void>;
  /** In a sandbox on Linux: the process that holds all others, once it is known. */
  innermost(): number;
  /** The process group, where nothing ends it with the daemon. */
  group?: number;
}

export type OutputName = 'stdout' | 'stderr';
export type AddOutput = (name: OutputName, chunk: Buffer) => void;

export interface FollowedCommand {
  /** Of this command alone on the machine: all processes that carry it end with the command. */
  tag: string;
  text: string;
  cwd: string;
  clock: Clock;
  /** An abort ends all that it started. */
  signal: AbortSignal;
  deniedPaths: DeniedPaths;
  /** Where the command has network: takes the listeners that it hands over. */
  egress?: Pick<CommandEgress, 'mirrors' | 'repositories' | 'serve'> | undefined;
  /** Where its ports are reached from outside: takes the listener for that. */
  relay?: Pick<PortRelay, 'serve'> | undefined;
  /** Where it runs in a terminal. */
  terminal?: TerminalSize | undefined;
  /** See `Need` of the launcher. */
  extra?: { mounts: readonly string[]; environment: Record<string, string> };
  /** Those of the product where nothing is said. */
  limits?: TreeLimits;
  /** Whether it has standard input; without it there is nothing to read. */
  hasInput: boolean;
  /** Called at each start, which may be repeated before anything of it ran. Gives what takes the output. */
  open(handle: CommandHandle): AddOutput;
}

export interface FollowedEnd {
  /** Null when a signal ended it. In a sandbox that is 128 and the signal's number, as in a shell. */
  exitCode: number | null;
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

const start = (command: FollowedCommand, launch: Launch) => {
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
      stdio: [
        command.hasInput ? 'pipe' : 'ignore',
        'pipe',
        'pipe',
        ...furtherFiles(ownFiles(launch), nothing),
      ],
    });
    const { stdin, stdout, stderr } = child;
    // It may end before it has read all.
    stdin?.on('error', () => undefined);
    if (stdout === null || stderr === null) throw errors.sandboxFailed();
    feed(child, launch.inputs);
    const refused = collect(child, refusalFile);
    return { child, stdin, stdout, stderr, refused, ...readReport(child, launch) };
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
  { cwd, clock, limits = treeLimits }: FollowedCommand,
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
interface Attempt extends Pick<FollowedEnd, 'exitCode' | 'exceeded'> {
  isStarted: boolean;
  /** What it wrote first as an error. */
  firstWords: string;
}

const maxFirstWords = 300;

const follow = (command: FollowedCommand, launch: Launch): Promise<Attempt> =>
  new Promise((resolve, reject) => {
    const started = start(command, launch);
    const { child, stdin, stdout, stderr, refused, isStarted, innermost } = started;
    let firstWords = '';
    let exceeded: Excess | undefined;
    let treeEnded: Promise<void> | undefined;
    const endRest = async () => {
      if (child.pid === undefined) return;
      const own = launch.holds ? { holder: child.pid } : { group: child.pid };
      await endTree({ ...own, tag: command.tag }, command.clock);
    };
    const end = () => void (treeEnded ??= endRest());
    command.signal.addEventListener('abort', end, { once: true });
    const handedOver = takeListeners(child, {
      count: launch.listeners,
      serve: (port, listener) =>
        port === relayPort ? command.relay?.serve(listener) : command.egress?.serve(port, listener),
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
      command.signal.removeEventListener('abort', end);
    };
    const signal = async (name: NodeJS.Signals) => {
      if (launch.holds) await sendToTagged(command.tag, name);
      else if (child.pid !== undefined) send(-child.pid, name);
    };
    const group = launch.holds ? undefined : child.pid;
    const add = command.open({ stdin, signal, innermost, ...(group !== undefined && { group }) });
    stdout.on('data', (chunk: Buffer) => add('stdout', chunk));
    stderr.on('data', (chunk: Buffer) => {
      if (firstWords.length < maxFirstWords) firstWords += chunk.toString('latin1', 0, maxFirstWords);
      add('stderr', chunk);
    });
    child.once('error', (error) => {
      cleanUp();
      reject(error);
    });
    child.once('exit', () => {
      treeEnded ??= launch.holds
        ? hasNamespaceEnded(started.innermost(), command.clock).then((isOver) =>
            isOver ? undefined : endRest(),
          )
        : endRest();
    });
    onceClosed(child, (exitCode) => {
      // It is set by the exit, which comes first.
      void treeEnded?.then(() => {
        cleanUp();
        if (isRefusal(refused(), exitCode)) reject(errors.changed());
        else if (!handedOver() && isStarted() && !command.signal.aborted) reject(errors.noNetwork());
        else resolve({ exitCode, isStarted: isStarted(), firstWords, ...(exceeded && { exceeded }) });
      });
    });
  });

const runOnce = async (
  command: FollowedCommand,
  prepare: Launcher,
): Promise<Attempt & Pick<FollowedEnd, 'left'>> => {
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
 * Runs a text with `/bin/sh` until it ends or is aborted; nothing of it runs after that. Throws
 * `sandboxFailed` and `changed`; rejects on an abort before its start.
 */
export const followCommand = async (command: FollowedCommand, prepare: Launcher): Promise<FollowedEnd> => {
  for (let starts = 1; ; starts += 1) {
    const { isStarted, firstWords, ...ended } = await runOnce(command, prepare);
    const isGone = !isStarted && ended.exitCode === 1 && saysGone.test(firstWords);
    if (!isGone || starts === maxStarts) return ended;
  }
};
