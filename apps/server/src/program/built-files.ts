import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Arguments of Node, and where the output of the daemon goes. */
export interface DaemonProgram {
  args: readonly string[];
  output: 'inherit' | 'ignore';
}

/** The folder of this package, from a file in its `src` and from one in its `dist`. */
const packageDir = import.meta.dirname.replace(/^(.*)[\\/](?:src|dist)(?:[\\/].*)?$/, '$1');
const daemonPath = (...names: string[]) => join(packageDir, '..', 'daemon', ...names);

export const panelDir = join(packageDir, '..', 'web', 'dist');
export const daemonFile = daemonPath('dist', 'daemon.tgz');
export const workspaceProgram = daemonPath('dist', 'workspace', 'workspace.cjs');

/** In development a server runs from its source. */
const isSource = process.argv[1]?.endsWith('src/main.ts') === true;
/** How Node runs the daemon: in development from its source, again after each change, and with its output. */
export const daemonProgram: DaemonProgram = isSource
  ? { args: ['--watch', '--watch-preserve-output', daemonPath('src', 'cli.ts')], output: 'inherit' }
  : { args: [daemonPath('dist', 'cli.cjs')], output: 'ignore' };

const workspaceFile = join(packageDir, '..', '..', 'pnpm-workspace.yaml');

/** How a person calls this program where it is installed. Without `--silent` pnpm writes to stdout too. */
export const serverCommand = (): string =>
  existsSync(workspaceFile) ? 'npx --yes pnpm@10 --silent drawbridge-server' : 'drawbridge-server';
