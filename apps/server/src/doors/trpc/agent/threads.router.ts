import { changeThreadInput, listThreadsInput, threadIdInput } from '@drawbridge/contracts/agent/threads';
import { router } from '../trpc.ts';
import { agentProcedure, done } from './procedure.ts';

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
  remove: agentProcedure.input(threadIdInput).mutation(async ({ ctx, input }) => {
    await ctx.agent.threads.remove(ctx.userId, input.threadId);
    return done;
  }),
  removeAll: agentProcedure.mutation(async ({ ctx }) => {
    await ctx.agent.threads.removeAll(ctx.userId);
    return done;
  }),
});
