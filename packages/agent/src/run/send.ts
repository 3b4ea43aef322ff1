import type { Attachment, SendInput, SendReply } from '@drawbridge/contracts/agent/threads';
import type { MessageFile } from '@drawbridge/contracts/agent/events';
import { errors } from '../errors.ts';
import type { ThreadRow } from '../rows.ts';
import { insert, type Write } from '../store-port.ts';
import { newThreadRow } from '../threads/threads.ts';
import { dayProblem } from '../step/budget.ts';
import type { RunContext } from '../engine/context.ts';
import { agentLimits } from '../engine/limits.ts';
import { openRunOf, threadOf } from '../engine/load.ts';
import { startRun, type NewMessage } from './start-run.ts';
import { steer } from './steer.ts';
import { openRunStates } from '../states.ts';
import { newFile } from '../engine/new-rows.ts';

const storeFiles = (
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

/** The thread of that id; an unknown id makes one. */
const threadFor = async (
  ctx: RunContext,
  userId: string,
  input: { threadId: string; machineId: string | null },
): Promise<ThreadRow> => {
  const known = await threadOf(ctx, userId, input.threadId);
  if (known) return known;
  // Throws `notFound` for a machine that is not the user's.
  if (input.machineId !== null) await ctx.machine.view(userId, input.machineId);
  const row = { ...newThreadRow(userId, input.threadId, ctx.clock.now()), machineId: input.machineId };
  await ctx.store.commit([insert('agentThreads', row)], 'kept');
  return (await threadOf(ctx, userId, input.threadId)) ?? row;
};

/** Throws `tooManyRuns`. */
export const refuseTooMany = async (ctx: RunContext, userId: string) => {
  const { maxRuns, maxRunsPerUser } = await ctx.config();
  const open = await ctx.store.findOfAll('agentRuns', { state: openRunStates });
  // A run that waits for its person uses nothing.
  const active = open.filter(({ state }) => state === 'active');
  const own = active.filter((run) => run.userId === userId);
  if (active.length >= maxRuns || own.length >= maxRunsPerUser) throw errors.tooManyRuns();
};

const enqueue = async (
  ctx: RunContext,
  thread: ThreadRow,
  { message, writes }: { message: NewMessage; writes: Write[] },
): Promise<SendReply> => {
  const { userId, id: threadId } = thread;
  const queued = await ctx.store.find('agentQueue', { userId, threadId }, { orderBy: 'position' });
  if (queued.length >= agentLimits.queuedMessages) throw errors.queueFull();
  const { id, text, files } = message;
  const position = (queued.at(-1)?.position ?? 0) + 1;
  const now = ctx.clock.now();
  const row = { userId, threadId, id, text, files, position, createdAt: now, editedAt: null };
  await ctx.store.commit([...writes, insert('agentQueue', row)], 'synced');
  ctx.bus.changed(userId, threadId);
  return { queuedId: id };
};

/** The model's id, or why nothing can be sent. Throws `agentOff` and `budgetSpent`. */
export const requireModel = async (ctx: RunContext, userId: string): Promise<string> => {
  const info = await ctx.model.info('main');
  if ((await ctx.config()).off !== null || info === null) throw errors.agentOff();
  const problem = await dayProblem(ctx, userId);
  if (problem !== null) throw errors.budgetSpent({ message: problem });
  return info.id;
};

/**
 * A message of the person. Throws `agentOff`, `budgetSpent`, `tooManyRuns`, `queueFull`, and `runActive`
 * where a run is open and the mode is `reject`.
 */
export const send = async (
  ctx: RunContext,
  { userId, threadId }: { userId: string; threadId: string },
  input: SendInput,
): Promise<SendReply> => {
  const model = await requireModel(ctx, userId);
  const thread = await threadFor(ctx, userId, { threadId, machineId: input.machineId ?? null });
  const { files, writes } = storeFiles(ctx, thread, input.attachments);
  const message: NewMessage = { id: ctx.newId('msg_'), text: input.message, files, source: 'sent' };
  for (let attempt = 0; attempt < agentLimits.commitTries; attempt += 1) {
    const open = await openRunOf(ctx, userId, threadId);
    if (open) {
      if (input.mode === 'reject') throw errors.runActive();
      if (input.mode === 'queue') return enqueue(ctx, thread, { message, writes });
      if (await steer(ctx, open, { message, writes })) return { runId: open.id };
      continue;
    }
    await refuseTooMany(ctx, userId);
    const run = await startRun(ctx, thread, { model, timeZone: input.timeZone ?? null, message, writes });
    if (run) return { runId: run.id };
  }
  throw errors.runActive();
};
