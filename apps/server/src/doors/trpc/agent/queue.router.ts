import { messageId } from '@drawbridge/contracts/agent/ids';
import { editQueuedInput, threadIdInput } from '@drawbridge/contracts/agent/threads';
import { router } from '../trpc.ts';
import { agentProcedure, done } from './procedure.ts';

const queuedInput = threadIdInput.extend({ id: messageId });

/** Messages that wait for the open run. */
export const queueRouter = router({
  list: agentProcedure
    .input(threadIdInput)
    .query(({ ctx, input }) => ctx.agent.queue.list(ctx.userId, input.threadId)),
  edit: agentProcedure
    .input(queuedInput.extend(editQueuedInput.shape))
    .mutation(({ ctx, input: { text, ...queued } }) => ctx.agent.queue.edit(ctx.userId, queued, text)),
  remove: agentProcedure.input(queuedInput).mutation(async ({ ctx, input }) => {
    await ctx.agent.queue.remove(ctx.userId, input);
    return done;
  }),
  steer: agentProcedure
    .input(queuedInput)
    .mutation(({ ctx, input }) => ctx.agent.queue.steer(ctx.userId, input)),
  resume: agentProcedure.input(threadIdInput).mutation(async ({ ctx, input }) => {
    await ctx.agent.queue.resume(ctx.userId, input.threadId);
    return done;
  }),
});
