import type { ProgressBody } from '@drawbridge/contracts/daemon-surface';
import { createCapture } from './capture.ts';
import { followCommand, type FollowedCommand, type FollowedEnd } from './follow-command.ts';
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

/**
 * Runs a text with `/bin/sh`. Time-out, abort and its own end terminate all that it started. Throws
 * `sandboxFailed` and `changed`; rejects on abort, once nothing of it runs any more.
 */
export const runCommand = async (command: Command, prepare: Launcher): Promise<Ended> => {
  const { clock, signal, stdin, timeoutMs, progress } = command;
  const timeOut = new AbortController();
  let captured = { stdout: createCapture(), stderr: createCapture() };
  const live = createLiveOutput(clock, progress);
  let cancelTimer = () => {};
  try {
    const { exitCode, ...end } = await followCommand(
      {
        ...command,
        signal: AbortSignal.any([signal, timeOut.signal]),
        hasInput: stdin !== undefined,
        open: (handle) => {
          handle.stdin?.end(stdin);
          captured = { stdout: createCapture(), stderr: createCapture() };
          cancelTimer();
          cancelTimer = clock.after(timeoutMs, () => timeOut.abort());
          return (name, chunk) => {
            captured[name].add(chunk);
            live.add(name, chunk);
          };
        },
      },
      prepare,
    );
    signal.throwIfAborted();
    const timedOut = timeOut.signal.aborted;
    const output = { stdout: captured.stdout.text(), stderr: captured.stderr.text() };
    return { ...output, ...end, exitCode: timedOut ? null : exitCode, timedOut };
  } finally {
    cancelTimer();
    live.end();
  }
};
