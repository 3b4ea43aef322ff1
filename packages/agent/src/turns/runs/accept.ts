import type { Attachment } from '@drawbridge/contracts/agent/threads';
import type { MessageFile } from '@drawbridge/contracts/agent/events';
import type { AgentNeeds } from '../../ports/needs.ts';
import { errors } from '../../rows/errors.ts';
import { threadOf } from '../../rows/load.ts';
import { newFile, newThreadRow, requireOwner } from '../../rows/new-rows.ts';
import type { ThreadRow } from '../../rows/rows.ts';
import { ownerOf, type Sender } from '../../rows/sender.ts';
import { insert, type Write } from '../../rows/store.ts';
import { dayProblem } from '../budget.ts';
import { type Route, type Routed, routeOf } from '../runtimes/route.ts';

export const storeFiles = (
  ctx: Pick<AgentNeeds, 'clock' | 'newId'>,
  thread: ThreadRow,
  attachments: readonly Attachment[],
): { files: MessageFile[]; writes: Write[] } => {
  const made = attachments.map((attachment) => newFile(ctx, thread, attachment));
  return {
    files: made.map(({ id, name, mediaType, bytes }) => ({ id, name, mediaType, bytes })),
    writes: made.map((row) => insert('agentFiles', row)),
  };
};

/** The thread of that id; an unknown id makes one. Throws `notFound` for one that is not the sender's. */
export const threadFor = async (
  ctx: Pick<AgentNeeds, 'store' | 'clock' | 'machine'>,
  { userId, key }: Pick<Sender, 'userId' | 'key'>,
  input: { threadId: string; machineId: string | null },
): Promise<ThreadRow> => {
  const owner = ownerOf(key);
  const known = await threadOf(ctx, userId, input.threadId);
  if (known) return requireOwner(known, owner);
  // Throws `notFound` for a machine that is not the user's.
  if (input.machineId !== null) await ctx.machine.view(userId, input.machineId);
  const made = newThreadRow(userId, input.threadId, { now: ctx.clock.now(), owner });
  const row = { ...made, machineId: input.machineId };
  await ctx.store.commit([insert('agentThreads', row)], 'kept');
  return requireOwner((await threadOf(ctx, userId, input.threadId)) ?? row, owner);
};

/** What answers a message, or why nothing can be sent. Throws `agentOff` and `budgetSpent`. */
export const requireRoute = async (
  ctx: Pick<AgentNeeds, 'store' | 'clock' | 'config' | 'model' | 'machine'>,
  routed: Routed,
): Promise<Route> => {
  const route = await routeOf(ctx, routed);
  if (route === null) throw errors.agentOff();
  const problem = route.runtime === null ? await dayProblem(ctx, routed.thread.userId) : null;
  if (problem !== null) throw errors.budgetSpent({ message: problem });
  return route;
};
