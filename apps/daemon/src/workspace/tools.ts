import type { Territory } from '../paths/protected.ts';
import type { DaemonTool } from '../tools/common/tool.ts';
import { filesystemTools } from '../tools/filesystem/index.ts';
import { createOpenLauncher } from '../tools/shell/launch.ts';
import { createShellExecute } from '../tools/shell/shell-execute.ts';

const shellDescription =
  'Run a shell command in the folder of the workspace and give its output and exit code. There is no network. ' +
  'Only this folder stays: what runs in the background ends with the call, and so do /tmp and the home folder.';

/** The file tools and the shell of the daemon. The shell searches better than a search without ripgrep. */
export const workspaceTools = (territory: Territory): DaemonTool[] => [
  ...filesystemTools.filter(({ name }) => name !== 'search_files'),
  {
    ...createShellExecute(createOpenLauncher(territory), { sandbox: false }),
    description: shellDescription,
  },
];
