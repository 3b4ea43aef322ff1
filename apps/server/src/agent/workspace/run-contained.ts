import { spawn, type ChildProcess } from 'node:child_process';
import { Writable } from 'node:stream';
import type { WorkspaceCall } from '@drawbridge/contracts/agent/workspace';
import { toolResult, type ToolResult } from '@drawbridge/contracts/tool-result';
import { type Clock, signalChild } from '@drawbridge/kit';
import { containerArguments, containerFiles, type Container } from './container.ts';

/** A result that says why a call has none. */
export const failed = (text: string): ToolResult => ({ content: [{ type: 'text', text }], isError: true });

const start = (container: Container, folder: string): ChildProcess => {
  const files = containerFiles(container);
  const child = spawn(container.bwrap, containerArguments(container, folder), {
    env: {},
    stdio: ['pipe', 'pipe', 'pipe', ...files.map(() => 'pipe' as const)],
  });
  for (const [at, bytes] of files.entries()) {
    const stream = child.stdio[at + 3];
    if (!(stream instanceof Writable)) throw new Error('bubblewrap has no pipe for its files');
    // It may end before it has read: its exit says so.
    stream.on('error', () => {}).end(bytes);
  }
  return child;
};

const readResult = (stdout: string, stderr: string): ToolResult => {
  try {
    return toolResult.parse(JSON.parse(stdout));
  } catch {
    const [reason = ''] = stderr.trim().split('\n');
    return failed(`The workspace ended without a result${reason === '' ? '.' : `: ${reason}`}`);
  }
};

const maxStderr = 500;

interface Running {
  folder: string;
  call: WorkspaceCall;
  signal: AbortSignal;
  /** Why the call has to end now, in a sentence for the model; null while it may continue. */
  excess(): Promise<string | null>;
}

/**
 * Runs one call in a container of its own. When it ends, is aborted, or exceeds a limit, all that it started
 * has ended. Rejects with the reason of the signal.
 */
export const runContained = (
  { container, clock }: { container: Container; clock: Clock },
  { folder, call, signal, excess }: Running,
): Promise<ToolResult> =>
  new Promise((resolve, reject) => {
    const { callMs, resultBytes, measureEveryMs } = container.limits;
    const child = start(container, folder);
    const [stdout, stderr] = [[] as Buffer[], [] as Buffer[]];
    let bytes = 0;
    let stopped: string | null = null;
    const end = (reason: string) => {
      stopped ??= reason;
      signalChild(child, 'SIGKILL');
    };
    const abort = () => end('The call was cancelled.');
    let isMeasuring = false;
    const measure = async () => {
      if (isMeasuring) return;
      isMeasuring = true;
      // A folder that cannot be measured has no room either.
      const reason = await excess().catch(() => 'The folder cannot be measured.');
      isMeasuring = false;
      if (reason !== null) end(`The call was stopped. ${reason}`);
    };
    const release = [
      clock.after(callMs, () => end('The call took longer than ten minutes.')),
      clock.every(measureEveryMs, () => void measure()),
      () => signal.removeEventListener('abort', abort),
    ];
    signal.addEventListener('abort', abort, { once: true });
    child.stdin?.on('error', () => {}).end(JSON.stringify(call));
    child.stdout?.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > resultBytes) end('The result is too large.');
      else stdout.push(chunk);
    });
    child.stderr?.on('data', (chunk: Buffer) => {
      if (stderr.length === 0) stderr.push(chunk.subarray(0, maxStderr));
    });
    child.once('error', reject);
    child.once('close', () => {
      for (const stop of release) stop();
      if (signal.aborted) reject(signal.reason);
      else if (stopped !== null) resolve(failed(stopped));
      else resolve(readResult(Buffer.concat(stdout).toString(), Buffer.concat(stderr).toString()));
    });
    if (signal.aborted) abort();
  });
