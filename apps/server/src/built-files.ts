import { fileURLToPath } from 'node:url';

/** The panel, the daemon, and the program of workspaces, as seen from `src` and from `dist` alike. */
export const panelDir = fileURLToPath(new URL('../../web/dist', import.meta.url));
export const daemonFile = fileURLToPath(new URL('../../daemon/dist/daemon.tgz', import.meta.url));
export const daemonProgram = fileURLToPath(new URL('../../daemon/dist/cli.cjs', import.meta.url));
export const workspaceProgram = fileURLToPath(
  new URL('../../daemon/dist/workspace/workspace.cjs', import.meta.url),
);
