import { memoryInput } from '@drawbridge/contracts/agent/memory';
import { agentProcedure, router } from '../trpc.ts';

/** What the agent knows of the person across threads. */
export const memoryRouter = router({
  get: agentProcedure.query(({ ctx }) => ctx.agent.memory.get(ctx.userId)),
  change: agentProcedure
    .input(memoryInput)
    .mutation(({ ctx, input }) => ctx.agent.memory.change(ctx.userId, input)),
});
