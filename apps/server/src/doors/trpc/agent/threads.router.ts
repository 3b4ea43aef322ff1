import { messageId } from '@drawbridge/contracts/agent/ids';
import {
  changeThreadInput,
  editQueuedInput,
  listThreadsInput,
  threadIdInput,
} from '@drawbridge/contracts/agent/threads';
import { agentProcedure, ok, router } from '../trpc.ts';

export const threadsRouter = router({
  list: agentProcedure
    .input(listThreadsInput)
    .query(({ ctx, input }) => ctx.agent.threads.list(ctx.userId, input)),
  /** A thread that is there already is returned as it is. */
  create: agentProcedure
    .input(threadIdInput)
    .mutation(({ ctx, input }) => ctx.agent.threads.create(ctx.userId, input.threadId)),
  get: agentProcedure
    .input(threadIdInput)
    .query(({ ctx, input }) => ctx.agent.threads.get(ctx.userId, input.threadId)),
  change: agentProcedure
    .input(changeThreadInput.extend(threadIdInput.shape))
    .mutation(({ ctx, input: { threadId, ...change } }) =>
      ctx.agent.threads.change(ctx.userId, threadId, change),
    ),
  remove: agentProcedure
    .input(threadIdInput)
    .mutation(({ ctx, input }) => ok(ctx.agent.threads.remove(ctx.userId, input.threadId))),
  removeAll: agentProcedure.mutation(({ ctx }) => ok(ctx.agent.threads.removeAll(ctx.userId))),
});

const queuedInput = threadIdInput.extend({ id: messageId });

/** Messages that wait for the open run. */
export const queueRouter = router({
  list: agentProcedure
    .input(threadIdInput)
    .query(({ ctx, input }) => ctx.agent.queue.list(ctx.userId, input.threadId)),
  edit: agentProcedure
    .input(queuedInput.extend(editQueuedInput.shape))
    .mutation(({ ctx, input: { text, ...queued } }) => ctx.agent.queue.edit(ctx.userId, queued, text)),
  remove: agentProcedure
    .input(queuedInput)
    .mutation(({ ctx, input }) => ok(ctx.agent.queue.remove(ctx.userId, input))),
  steer: agentProcedure
    .input(queuedInput)
    .mutation(({ ctx, input }) => ctx.agent.queue.steer(ctx.userId, input)),
  resume: agentProcedure
    .input(threadIdInput)
    .mutation(({ ctx, input }) => ok(ctx.agent.queue.resume(ctx.userId, input.threadId))),
});
