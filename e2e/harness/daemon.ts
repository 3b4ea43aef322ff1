import { execFileSync } from 'node:child_process';
import type { Person } from './client.ts';
import { daemonEntry, flagsOfTests, newFolder } from './paths.ts';
import type { Processes, Running } from './processes.ts';

/** The built daemon in a process of its own, with a home and a folder of its own. */
export interface Daemon {
  /** The folder that its file tools work in. */
  root: string;
  /** Where its settings and its session are kept. */
  home: string;
  process: Running;
}

export interface DaemonOptions {
  url: string;
  /** Without one it resumes the session in `home`. */
  token?: string;
  root?: string;
  home?: string;
  flags?: string[];
  /** Flags of Node itself. */
  nodeFlags?: string[];
}

/** Starts the daemon; it may not be connected yet. */
export const startDaemon = (processes: Processes, options: DaemonOptions): Daemon => {
  const root = options.root ?? newFolder('root');
  const home = options.home ?? newFolder('home');
  const token = options.token === undefined ? [] : [options.token];
  const args = [options.url, ...token, '--dir', root, '--non-interactive', ...(options.flags ?? [])];
  const running = processes.start({
    command: process.execPath,
    args: [...flagsOfTests, ...(options.nodeFlags ?? []), daemonEntry, ...args],
    cwd: home,
    env: { HOME: home, NO_COLOR: '1' },
  });
  return { root, home, process: running };
};

/** Pairs a new machine with a person and waits until it is connected. */
export const connectDaemon = async (
  processes: Processes,
  { person, ...rest }: Omit<DaemonOptions, 'token'> & { person: Person },
): Promise<Daemon> => {
  const { token } = await person.api.gateway.createLink.mutate();
  const daemon = startDaemon(processes, { token, ...rest });
  await daemon.process.says(/^\s*connected /m);
  return daemon;
};

/** What `drawbridge status` says of its link: `socket` or `stream`. */
export const linkOf = ({ home }: Daemon): string => {
  const env = { ...process.env, HOME: home };
  const text = execFileSync(process.execPath, [daemonEntry, 'status', '--json'], { env, encoding: 'utf8' });
  return JSON.parse(text).daemons[0].link.way;
};
