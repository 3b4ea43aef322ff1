import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Processes } from '@drawbridge/e2e/harness';

type Running = ReturnType<Processes['start']>;

interface Built {
  name: 'our-server' | 'bare-server' | 'bare-daemon' | 'bare-panel' | 'storm-clients';
  args?: string[];
  nodeFlags?: string[];
  cwd?: string;
  env?: Record<string, string>;
}

const dist = (file: string) => fileURLToPath(new URL(`../dist/${file}`, import.meta.url));

/** One of the processes of `src/processes` or our server, as it was built. */
export const startBuilt = (
  processes: Processes,
  { name, args = [], nodeFlags = [], ...where }: Built,
): Running =>
  processes.start({
    command: process.execPath,
    args: [...nodeFlags, dist(`${name === 'our-server' ? name : 'processes'}/${name}.js`), ...args],
    ...where,
  });

/** Flags under which a server says what memory it holds. */
export const memoryFlags = ['--expose-gc', '--import', dist('processes/memory.js')];

/** Bytes in use by a process with `memoryFlags` after a collection; `times` counts the requests. */
export const heldBytes = async (running: Running, times: number): Promise<number> => {
  running.signal('SIGUSR2');
  const [, bytes] = await running.says(new RegExp(`memory ${times} (\\d+);`));
  return Number(bytes);
};

const statusBytes = (pid: number, field: string): number => {
  const match = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(match?.[1]) * 1024;
};

/** Resident bytes now. */
export const residentBytes = (pid: number): number => statusBytes(pid, 'VmRSS');

/** The most resident bytes since the peak was forgotten. */
export const peakBytes = (pid: number): number => statusBytes(pid, 'VmHWM');

/** A tick of the kernel's accounts of processes, in milliseconds. */
const tickMs = 10;

/** What the kernel says of a process after its name, which may hold blanks. */
const statOf = (pid: number | string): string[] => {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
};

/** Processor time of a process and of all that it has waited for, in its code and in the system. */
export const processorMs = (pid: number | string): number =>
  statOf(pid)
    .slice(11, 15)
    .reduce((sum, ticks) => sum + Number(ticks), 0) * tickMs;

/** The same of all processes of a group, by its leader. */
export const groupProcessorMs = (leader: number): number =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .reduce((sum, pid) => {
      try {
        return statOf(pid)[2] === String(leader) ? sum + processorMs(pid) : sum;
      } catch {
        // It has ended since the folder was listed.
        return sum;
      }
    }, 0);

export const forgetPeak = (pid: number): void => writeFileSync(`/proc/${pid}/clear_refs`, '5');
