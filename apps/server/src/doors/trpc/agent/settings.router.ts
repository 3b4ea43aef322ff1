import { agentSettingsInput, verifyTarget } from '@drawbridge/contracts/agent/settings';
import { z } from 'zod';
import { router } from '../trpc.ts';
import { agentOwnerProcedure } from './procedure.ts';

/** Settings of the whole server; secrets are never read. */
export const agentSettingsRouter = router({
  get: agentOwnerProcedure.query(({ ctx }) => ctx.agent.settings.get()),
  change: agentOwnerProcedure
    .input(agentSettingsInput)
    .mutation(({ ctx, input }) => ctx.agent.settings.change(input)),
  verify: agentOwnerProcedure
    .input(z.strictObject({ target: verifyTarget }))
    .mutation(({ ctx, input }) => ctx.agent.verify(ctx.userId, input.target)),
});
