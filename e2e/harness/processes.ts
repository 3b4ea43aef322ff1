import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { accountEnvironment } from './account-home.ts';

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** A process that a test started, with everything that it has started itself. */
export interface Running {
  /** Zero when the process could not be started. */
  pid: number;
  /** All that it has written so far, stdout and stderr in the order in which they came. */
  output(): string;
  /** Resolves with the first match in its past or future output; rejects if it ends without one. */
  says(pattern: RegExp): Promise<RegExpMatchArray>;
  exit: Promise<Exit>;
  /** Sends a signal to the process alone and waits for its end. */
  end(signal: NodeJS.Signals): Promise<Exit>;
  /** Sends a signal to the process alone, such as `SIGSTOP`. */
  signal(signal: NodeJS.Signals): void;
}

export interface Command {
  command: string;
  args: string[];
  cwd?: string;
  /** The whole environment: inherited are `PATH`, folders of this run, and what names the registry. */
  env?: Record<string, string>;
}

export interface Processes {
  start(command: Command): Running;
  /** Ends every process that is left, with its children. */
  stopAll(): Promise<void>;
}

const inherited = (): Record<string, string> => {
  const names = ['PATH', 'TMPDIR', 'LANG', 'npm_config_registry', 'npm_config_cache', 'NODE_EXTRA_CA_CERTS'];
  const own = names.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : []));
  return { ...Object.fromEntries(own), ...accountEnvironment() };
};

/** Its own group, so that `npx` ends together with what it runs. */
const killGroup = (pid: number | undefined) => {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The group has already ended.
  }
};

/** What all files of this worker have running. */
const ofWorker = new Set<number>();
process.once('exit', () => ofWorker.forEach(killGroup));

export const createProcesses = (): Processes => {
  const running = new Map<number, Promise<Exit>>();

  const start = ({ command, args, cwd, env }: Command): Running => {
    const child = spawn(command, args, {
      cwd,
      env: { ...inherited(), ...env },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let text = '';
    const watchers = new Set<() => void>();
    const append = (chunk: string) => {
      text += chunk;
      for (const watch of Array.from(watchers)) watch();
    };
    child.stdout.setEncoding('utf8').on('data', append);
    child.stderr.setEncoding('utf8').on('data', append);

    const exit = (async (): Promise<Exit> => {
      // The two of `close`, as Node declares them: (code, signal).
      const [code, signal] = (await once(child, 'close')) as [Exit['code'], Exit['signal']];
      return { code, signal };
    })();
    if (child.pid !== undefined) {
      const { pid } = child;
      running.set(pid, exit);
      ofWorker.add(pid);
      void exit.finally(() => [running, ofWorker].forEach((pids) => pids.delete(pid))).catch(() => {});
    }

    return {
      pid: child.pid ?? 0,
      output: () => text,
      exit,
      says: (pattern) =>
        new Promise((resolve, reject) => {
          const look = () => {
            const match = pattern.exec(text);
            if (!match) return;
            watchers.delete(look);
            resolve(match);
          };
          watchers.add(look);
          look();
          exit.then(
            () => reject(new Error(`${command} ended without saying ${String(pattern)}:\n${text}`)),
            reject,
          );
        }),
      end: (signal) => {
        child.kill(signal);
        return exit;
      },
      signal: (signal) => void child.kill(signal),
    };
  };

  return {
    start,
    stopAll: async () => {
      const left = [...running];
      for (const [pid] of left) killGroup(pid);
      await Promise.allSettled(left.map(([, exit]) => exit));
    },
  };
};
