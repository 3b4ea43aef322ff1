import { taskId } from '@drawbridge/contracts/agent/ids';
import { correctInput, threadIdInput } from '@drawbridge/contracts/agent/threads';
import { router } from '../trpc.ts';
import { agentProcedure, done } from './procedure.ts';

const taskInput = threadIdInput.extend({ taskId });

/** Background tasks of a thread. */
export const tasksRouter = router({
  cancel: agentProcedure.input(taskInput).mutation(async ({ ctx, input }) => {
    await ctx.agent.tasks.cancel(ctx.userId, input);
    return done;
  }),
  correct: agentProcedure
    .input(taskInput.extend({ text: correctInput.shape.message }))
    .mutation(async ({ ctx, input: { text, ...task } }) => {
      await ctx.agent.tasks.correct(ctx.userId, task, text);
      return done;
    }),
});
