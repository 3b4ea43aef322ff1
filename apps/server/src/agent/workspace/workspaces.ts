import type { WorkspacePort } from '@drawbridge/agent';
import type { WorkspaceProgram } from '@drawbridge/contracts/agent/workspace';
import { createKeyedQueue, createLimiter, type Clock, type Limiter } from '@drawbridge/kit';
import type { Container } from './container.ts';
import { createFolders } from './folders.ts';
import { createSnapshots, snapshotTools } from './snapshots.ts';
import { failed, runContained } from './run-contained.ts';

interface Needs {
  container: Container;
  tools: WorkspaceProgram['tools'];
  /** Where the folders are. */
  base: string;
  clock: Clock;
}

/** A folder for each chat. Nothing runs between two calls: a call has a container of its own. */
export const createWorkspaces = ({ container, tools, base, clock }: Needs): WorkspacePort => {
  const { limits } = container;
  const folders = createFolders(base, limits);
  const snapshot = createSnapshots(limits);
  const isOfSnapshots = (name: string) => snapshotTools.some((tool) => tool.name === name);
  const inTurn = createKeyedQueue();
  const all = createLimiter(limits.callsAtOnce);
  const users = new Map<string, Limiter>();
  const limiterOf = (userId: string): Limiter => {
    const limiter = users.get(userId) ?? createLimiter(limits.callsOfUserAtOnce);
    users.set(userId, limiter);
    return limiter;
  };
  const keyOf = (userId: string, threadId: string) => JSON.stringify([userId, threadId]);
  /** Calls that cannot add to a folder work in a full one too. */
  const isAdding = (name: string) =>
    name !== 'delete' && tools.some((tool) => tool.name === name && !tool.isReading);

  return {
    tools: () => [...tools, ...snapshotTools],
    call: ({ userId, threadId }, call, signal) => {
      const run = async () => {
        signal.throwIfAborted();
        const folder = await folders.open({ userId, threadId });
        if (folder === null)
          return failed(`There are ${limits.foldersOfUser} workspaces already. Delete a chat that has one.`);
        if (isOfSnapshots(call.tool)) {
          const replace = (by: string) => folders.replace({ userId, threadId }, by);
          const place = folders.snapshots({ userId, threadId });
          return snapshot(call, { folder, place, replace });
        }
        const excess = isAdding(call.tool) ? () => folders.excess(folder) : async () => null;
        const problem = await excess();
        if (problem !== null) return failed(problem);
        return runContained({ container, clock }, { folder, call, signal, excess });
      };
      return inTurn.run(keyOf(userId, threadId), () =>
        limiterOf(userId).run(() => all.run(run, signal), signal),
      );
    },
    remove: (userId, threadId) =>
      inTurn.run(keyOf(userId, threadId), () => folders.remove({ userId, threadId })),
  };
};
