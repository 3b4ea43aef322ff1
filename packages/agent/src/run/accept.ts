import type { Attachment } from '@drawbridge/contracts/agent/threads';
import type { MessageFile } from '@drawbridge/contracts/agent/events';
import { errors } from '../errors.ts';
import type { ThreadRow } from '../rows.ts';
import { insert, type Write } from '../store-port.ts';
import type { Sender } from '../lanes/api.ts';
import { ownerOf } from '../lanes/sender.ts';
import { newThreadRow, requireOwner } from '../threads/owner.ts';
import { dayProblem } from '../step/budget.ts';
import type { RunContext } from '../engine/context.ts';
import { threadOf } from '../engine/load.ts';
import { newFile } from '../engine/new-rows.ts';

export const storeFiles = (
  ctx: RunContext,
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
  ctx: RunContext,
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

/** The model's id, or why nothing can be sent. Throws `agentOff` and `budgetSpent`. */
export const requireModel = async (ctx: RunContext, userId: string): Promise<string> => {
  const info = await ctx.model.info('main');
  if ((await ctx.config()).off !== null || info === null) throw errors.agentOff();
  const problem = await dayProblem(ctx, userId);
  if (problem !== null) throw errors.budgetSpent({ message: problem });
  return info.id;
};
