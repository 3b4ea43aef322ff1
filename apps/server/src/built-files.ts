import { fileURLToPath } from 'node:url';

/** Arguments of Node, and where the output of the daemon goes. */
export interface DaemonProgram {
  args: readonly string[];
  output: 'inherit' | 'ignore';
}

/** The panel, the daemon, and the program of workspaces, as seen from `src` and from `dist` alike. */
export const panelDir = fileURLToPath(new URL('../../web/dist', import.meta.url));
export const daemonFile = fileURLToPath(new URL('../../daemon/dist/daemon.tgz', import.meta.url));
const daemonBuilt = fileURLToPath(new URL('../../daemon/dist/cli.cjs', import.meta.url));
const daemonSource = fileURLToPath(new URL('../../daemon/src/cli.ts', import.meta.url));
/** In development a server runs from its source. */
const isSource = process.argv[1]?.endsWith('src/main.ts') === true;
/** How Node runs the daemon: in development from its source, again after each change, and with its output. */
export const daemonProgram: DaemonProgram = isSource
  ? { args: ['--watch', '--watch-preserve-output', daemonSource], output: 'inherit' }
  : { args: [daemonBuilt], output: 'ignore' };
export const workspaceProgram = fileURLToPath(
  new URL('../../daemon/dist/workspace/workspace.cjs', import.meta.url),
);
