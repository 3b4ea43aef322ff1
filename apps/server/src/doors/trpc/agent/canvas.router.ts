import { artifactId, artifactLimits } from '@drawbridge/contracts/agent/canvas';
import { threadIdInput } from '@drawbridge/contracts/agent/threads';
import { agentProcedure, router } from '../trpc.ts';

/** The documents of a thread, which agents and clients write. */
export const canvasRouter = router({
  list: agentProcedure
    .input(threadIdInput)
    .query(({ ctx, input }) =>
      ctx.agent.canvas.list(ctx.userId, input.threadId, { limit: artifactLimits.perThread, offset: 0 }),
    ),
  get: agentProcedure
    .input(threadIdInput.extend({ artifactId }))
    .query(({ ctx, input }) => ctx.agent.canvas.get(ctx.userId, input.threadId, input.artifactId)),
});
