import { taskId } from '@drawbridge/contracts/agent/ids';
import { correctInput, threadIdInput } from '@drawbridge/contracts/agent/threads';
import { agentProcedure, ok, router } from '../trpc.ts';

const taskInput = threadIdInput.extend({ taskId });

/** Background tasks of a thread. */
export const tasksRouter = router({
  cancel: agentProcedure
    .input(taskInput)
    .mutation(({ ctx, input }) => ok(ctx.agent.tasks.cancel(ctx.userId, input))),
  correct: agentProcedure
    .input(taskInput.extend({ text: correctInput.shape.message }))
    .mutation(({ ctx, input: { text, ...task } }) => ok(ctx.agent.tasks.correct(ctx.userId, task, text))),
});
