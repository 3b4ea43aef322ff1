import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { postgresFolder } from '../../../tools/postgres/programs.ts';
import type { Store } from '../rows.ts';

const run = promisify(execFile);

const kill = (pid: number, signal: NodeJS.Signals) => {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended meanwhile.
  }
};

const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);

const isBackend = (pid: number): boolean => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('127.0.0.1(');
  } catch {
    return false;
  }
};

/** Faults of a Postgres, by the id of its first process. */
export const postgresFaults = (pid: number) => ({
  /** Holds all its processes still; the returned function ends that. */
  stop: () => {
    // The first one begins all others.
    kill(pid, 'SIGSTOP');
    const children = childrenOf(pid);
    for (const child of children) kill(child, 'SIGSTOP');
    return () => {
      for (const one of [...children, pid]) kill(one, 'SIGCONT');
    };
  },
  /** Kills one of its processes: the others end too, and it recovers from what it has written. */
  crash: () => {
    const backend = childrenOf(pid).find(isBackend);
    if (backend !== undefined) kill(backend, 'SIGKILL');
  },
});

/** Reads through a program of Postgres. */
export const postgresStore = (url: string): Store => ({
  rows: async (query) => {
    const program = join(postgresFolder() ?? '', 'psql');
    const asJson = `select row_to_json(one) from (${query}) one`;
    const { stdout } = await run(program, ['-XAtq', '-d', url, '-c', asJson], { maxBuffer: 2 ** 30 });
    return stdout
      .split('\n')
      .slice(0, -1)
      .map((line): unknown => JSON.parse(line));
  },
});
