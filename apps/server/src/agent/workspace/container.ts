import { lstatSync, readlinkSync } from 'node:fs';
import type { WorkspaceLimits } from './limits.ts';

/** What each container of this server is made of. */
export interface Container {
  /** bubblewrap, node and the program of the workspace: absolute paths. */
  bwrap: string;
  node: string;
  program: string;
  /** The filter of system calls. */
  filter: Buffer;
  limits: WorkspaceLimits;
}

const node = '/run/drawbridge/bin/node';
const program = '/run/drawbridge/workspace.cjs';
const home = '/home/workspace';

/** Programs and libraries beside /usr: links into it, or folders of their own. */
const besideUsr = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'];

const mountBesideUsr = (path: string): string[] => {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isSymbolicLink()) return ['--symlink', readlinkSync(path), path];
  return found?.isDirectory() ? ['--ro-bind', path, path] : [];
};

/** Files that a container gets from the server, by their path in it. */
const madeFiles = [
  ['/etc/passwd', `workspace:x:1000:1000::${home}:/bin/sh\n`],
  ['/etc/group', 'workspace:x:1000:\n'],
  ['/etc/hosts', '127.0.0.1 localhost\n::1 localhost\n'],
] as const;

/** The number of the first file that bubblewrap reads, after stdin, stdout and stderr. */
const firstFile = 3;

/** What bubblewrap reads from its files 3, 4, …. */
export const containerFiles = ({ filter }: Container): Buffer[] => [
  filter,
  ...madeFiles.map(([, text]) => Buffer.from(text)),
];

/** Hard limits for all that runs, set before the first program. bash has -u for what dash calls -p. */
const limitScript = ({ fileBytes, memoryBytes, openFiles, processes }: WorkspaceLimits): string =>
  [
    'echo 1000 > /proc/self/oom_score_adj',
    'ulimit -c 0',
    `ulimit -f ${fileBytes / 512}`,
    `ulimit -d ${memoryBytes / 1024}`,
    `ulimit -n ${openFiles}`,
    `{ ulimit -u ${processes} || ulimit -p ${processes}; } 2> /dev/null`,
    'exec "$@"',
  ].join(' && ');

/**
 * bubblewrap's arguments for one call: an empty file system with system programs, the program of the
 * workspace and one writable folder; no network, no other process, nothing outlives this server.
 */
export const containerArguments = (container: Container, folder: string): string[] => {
  const { limits } = container;
  const inMemory = (path: string) => ['--size', String(limits.temporaryBytes), '--tmpfs', path];
  return [
    ...['--die-with-parent', '--new-session', '--cap-drop', 'ALL'],
    ...['--unshare-user', '--uid', '1000', '--gid', '1000'],
    ...['--unshare-pid', '--unshare-net', '--unshare-ipc', '--unshare-uts', '--hostname', 'workspace'],
    ...['--ro-bind', '/usr', '/usr', ...besideUsr.flatMap(mountBesideUsr)],
    ...['/etc/ld.so.cache', '/etc/alternatives'].flatMap((path) => ['--ro-bind-try', path, path]),
    ...madeFiles.flatMap(([path], at) => ['--ro-bind-data', String(firstFile + 1 + at), path]),
    ...['--proc', '/proc', '--dev', '/dev', ...inMemory('/dev/shm'), '--remount-ro', '/dev'],
    ...[...inMemory('/tmp'), ...inMemory(home)],
    ...['--ro-bind', container.node, node, '--ro-bind', container.program, program],
    ...['--bind', folder, '/workspace', '--chdir', '/workspace', '--remount-ro', '/'],
    ...['--setenv', 'HOME', home, '--setenv', 'USER', 'workspace', '--setenv', 'LANG', 'C.UTF-8'],
    ...['--setenv', 'PATH', '/usr/local/bin:/usr/bin:/bin:/run/drawbridge/bin'],
    ...['--seccomp', String(firstFile), '--'],
    ...['/bin/sh', '-c', limitScript(limits), 'sh', node, program],
  ];
};
