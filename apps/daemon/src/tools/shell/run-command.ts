import type { ProgressBody } from '@drawbridge/contracts/daemon-surface';
import { createCapture } from './capture.ts';
import {
  followCommand,
  type AddOutput,
  type CommandHandle,
  type FollowedCommand,
  type FollowedEnd,
  type OutputName,
} from './follow-command.ts';
import type { Launcher } from './launch.ts';
import { createLiveOutput } from './live-output.ts';

export interface Command extends Omit<FollowedCommand, 'hasInput' | 'open'> {
  timeoutMs: number;
  /** What it reads, and then the end; without it there is nothing to read. */
  stdin?: string | undefined;
  progress(update: ProgressBody): void;
}

export interface Ended extends FollowedEnd {
  stdout: string;
  stderr: string;
  timedOut: boolean;
}

/** A command whose time is over and that still runs. */
export interface RunningCommand {
  startedAtMs: number;
  /** As `followCommand`, from now on; to be called at once. */
  follow(options: Pick<FollowedCommand, 'open' | 'signal'>): Promise<FollowedEnd>;
}

/** What a command becomes when its time is over. */
export interface Continuation<Result> {
  /** Called at each start. Gives what takes the output from then on. */
  open(): AddOutput;
  /** Gives what the caller gets of a command that goes on; undefined where it is to be stopped. */
  accept(running: RunningCommand): Result | undefined;
}

/** The captured output, and what is sent of it while it is written. */
const createOutput = ({ clock, progress }: Command, next: Continuation<unknown> | undefined) => {
  let captured = { stdout: createCapture(), stderr: createCapture() };
  const live = createLiveOutput(clock, progress);
  return {
    open: () => {
      captured = { stdout: createCapture(), stderr: createCapture() };
      const addNext = next?.open();
      return (name: OutputName, chunk: Buffer) => {
        captured[name].add(chunk);
        live.add(name, chunk);
        addNext?.(name, chunk);
      };
    },
    text: () => ({ stdout: captured.stdout.text(), stderr: captured.stderr.text() }),
    end: live.end,
  };
};

/**
 * Runs a text with `/bin/sh` until it ends, or until its time is over and `next` accepts it. Otherwise
 * time-out, abort and its own end terminate all that it started. Throws as `runCommand`.
 */
export const runOrContinue = async <Result>(
  command: Command,
  prepare: Launcher,
  next: Continuation<Result> | undefined,
): Promise<{ ended: Ended } | { continued: Result }> => {
  const { clock, signal, stdin, timeoutMs } = command;
  const output = createOutput(command, next);
  const stop = new AbortController();
  const abort = () => stop.abort(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort);
  const continued = Promise.withResolvers<{ continued: Result }>();
  let timedOut = false;
  let cancelTimer = () => {};

  const open = (handle: CommandHandle): AddOutput => {
    handle.stdin?.end(stdin);
    let add = output.open();
    const startedAtMs = clock.now();
    const follow: RunningCommand['follow'] = (options) => {
      options.signal.addEventListener('abort', () => stop.abort(options.signal.reason));
      add = options.open(handle);
      return followed;
    };
    cancelTimer();
    cancelTimer = clock.after(timeoutMs, () => {
      const result = next?.accept({ startedAtMs, follow });
      if (result !== undefined) return continued.resolve({ continued: result });
      timedOut = true;
      stop.abort();
    });
    return (name, chunk) => add(name, chunk);
  };

  const hasInput = stdin !== undefined;
  const followed = followCommand({ ...command, signal: stop.signal, hasInput, open }, prepare);
  try {
    const end = await Promise.race([followed, continued.promise]);
    if ('continued' in end) return end;
    signal.throwIfAborted();
    return { ended: { ...output.text(), ...end, exitCode: timedOut ? null : end.exitCode, timedOut } };
  } finally {
    signal.removeEventListener('abort', abort);
    cancelTimer();
    output.end();
  }
};

/**
 * Runs a text with `/bin/sh`. Time-out, abort and its own end terminate all that it started. Throws
 * `sandboxFailed` and `changed`; rejects on abort, once nothing of it runs any more.
 */
export const runCommand = async (command: Command, prepare: Launcher): Promise<Ended> => {
  const outcome = await runOrContinue<undefined>(command, prepare, undefined);
  if ('continued' in outcome) throw new Error('A command went on without a continuation');
  return outcome.ended;
};
