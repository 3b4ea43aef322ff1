import { join } from 'node:path';
import type { WorkspacePort } from '@drawbridge/agent';
import { createFolders } from './folders.ts';
import { workspaceLimits } from './limits.ts';
import { openWorkspaces, type Opening, type Workspaces } from './open-workspaces.ts';

export interface SwitchedWorkspaces {
  /** Has no tools until the first `open`. The folder of a chat is removed with it in any case. */
  port: WorkspacePort;
  /** Opens them once, and again after a `retry`. Gives why they are not offered. */
  open(): Promise<Pick<Workspaces, 'problem'>>;
  /** The next `open` tries again what has failed. */
  retry(): void;
}

/** Workspaces that open when they are first wanted: the owner may turn them on while the server runs. */
export const createSwitchedWorkspaces = (needs: Opening): SwitchedWorkspaces => {
  const folders = createFolders(join(needs.dataDir, 'workspaces'), needs.limits ?? workspaceLimits);
  let opened: Workspaces = { port: null, problem: null };
  let opening: Promise<Workspaces> | undefined;

  return {
    port: {
      tools: () => opened.port?.tools() ?? [],
      call: async (thread, call, signal) => {
        if (opened.port === null) throw new Error('There are no workspaces');
        return opened.port.call(thread, call, signal);
      },
      remove: (userId, threadId) =>
        opened.port === null ? folders.remove({ userId, threadId }) : opened.port.remove(userId, threadId),
    },
    open: async () => {
      opening ??= openWorkspaces(needs);
      opened = await opening;
      return opened;
    },
    retry: () => {
      if (opened.problem !== null) opening = undefined;
    },
  };
};
