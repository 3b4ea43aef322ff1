import { spawn } from 'node:child_process';
import { closeSync, existsSync } from 'node:fs';
import type { ProgressBody } from '@drawbridge/contracts';
import type { Clock } from '@drawbridge/kit';
import { openFolder } from '../filesystem/open.ts';
import { createCapture } from './capture.ts';
import { shellEnvironment } from './config.ts';
import { createLiveOutput } from './live-output.ts';
import { endTree, markVariable } from './process-tree.ts';

export interface Command {
  /** Names the call in the environment of all that it starts. */
  mark: string;
  text: string;
  /** A real path. */
  cwd: string;
  timeoutMs: number;
  clock: Clock;
  signal: AbortSignal;
  progress(update: ProgressBody): void;
}

export interface Ended {
  stdout: string;
  stderr: string;
  /** Null when a signal ended it. */
  exitCode: number | null;
  timedOut: boolean;
}

const hasDescriptors = process.platform === 'linux' && existsSync('/proc/self/fd');

/**
 * Runs a text with `/bin/sh` in a process group of its own, without input, in a small environment. Time-out and abort end all that
 * it started; so does its own end. Rejects with the signal's reason when aborted, once nothing of it runs any more.
 */
export const runCommand = (command: Command): Promise<Ended> =>
  new Promise((resolve, reject) => {
    command.signal.throwIfAborted();
    const stdout = createCapture();
    const stderr = createCapture();
    // The folder is held open and entered through its descriptor: it is the one that was looked at.
    const folder = openFolder(command.cwd);
    const child = spawn('/bin/sh', ['-c', command.text], {
      cwd: hasDescriptors ? folder.entry('.') : command.cwd,
      env: { ...shellEnvironment(), [markVariable]: command.mark },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    closeSync(folder.fd);
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
      endTree({ group: child.pid, mark: command.mark }, command.clock, treeEnded);
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
    child.stdout.on('data', (chunk: Buffer) => {
      stdout.add(chunk);
      live.add('stdout', chunk);
    });
    child.stderr.on('data', (chunk: Buffer) => {
      stderr.add(chunk);
      live.add('stderr', chunk);
    });
    child.once('error', (error) => {
      cleanUp();
      reject(error);
    });
    child.once('exit', end);
    child.once('close', (exitCode) => {
      void allEnded.then(() => {
        cleanUp();
        if (command.signal.aborted) reject(command.signal.reason);
        else resolve({ stdout: stdout.text(), stderr: stderr.text(), exitCode, timedOut });
      });
    });
  });
