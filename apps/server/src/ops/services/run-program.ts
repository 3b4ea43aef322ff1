import { spawn } from 'node:child_process';
import { type Clock, signalChild } from '@drawbridge/kit';

/** `isCut`: it printed more than is kept, and was stopped. */
export interface EndedProgram {
  kind: 'ended';
  code: number | null;
  stdout: string;
  stderr: string;
  isCut: boolean;
}

/** `missing`: there is no such program here. */
export type ProgramResult = { kind: 'missing' } | { kind: 'timed-out' } | EndedProgram;

interface Program {
  name: 'systemctl' | 'journalctl' | 'docker' | 'tailscale';
  /** Passed as they are: no shell reads them. */
  args: readonly string[];
  /** 5 s when left out. */
  timeoutMs?: number | undefined;
}

const shortMs = 5_000;
const outputBytes = 1024 * 1024;
const errorBytes = 16 * 1024;

/** A stream's first bytes; `true` once there are more. */
const createOutput = (most: number) => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  return {
    add: (chunk: Buffer): boolean => {
      chunks.push(chunk.subarray(0, Math.max(0, most - bytes)));
      bytes += chunk.length;
      return bytes > most;
    },
    text: () => Buffer.concat(chunks).toString('utf8'),
  };
};

/** Runs a program with these arguments and this environment alone; keeps at most 1 MiB of its output. */
export const createRunProgram =
  ({ clock, environment }: { clock: Clock; environment: Readonly<Record<string, string>> }) =>
  ({ name, args, timeoutMs = shortMs }: Program): Promise<ProgramResult> =>
    new Promise((resolve) => {
      const child = spawn(name, args, { env: environment, stdio: ['ignore', 'pipe', 'pipe'], cwd: '/' });
      const [stdout, stderr] = [createOutput(outputBytes), createOutput(errorBytes)];
      let isCut = false;
      const finish = (result: ProgramResult) => {
        cancel();
        resolve(result);
      };
      const kill = () => {
        signalChild(child, 'SIGKILL');
        // A grandchild may keep the pipes open.
        child.stdout.destroy();
        child.stderr.destroy();
      };
      const cancel = clock.after(timeoutMs, () => {
        kill();
        finish({ kind: 'timed-out' });
      });
      child.stdout.on('data', (chunk: Buffer) => {
        if (!stdout.add(chunk) || isCut) return;
        isCut = true;
        kill();
      });
      child.stderr.on('data', (chunk: Buffer) => void stderr.add(chunk));
      child.once('error', () => finish({ kind: 'missing' }));
      child.once('close', (code) =>
        finish({ kind: 'ended', code, stdout: stdout.text(), stderr: stderr.text(), isCut }),
      );
    });

export type RunProgram = ReturnType<typeof createRunProgram>;
