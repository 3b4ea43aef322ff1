import {
  agentSettingsInput,
  settingsDraft,
  userKeysInput,
  verifyTarget,
} from '@drawbridge/contracts/agent/settings';
import { z } from 'zod';
import { agentModuleProcedure, agentOwnerProcedure, router } from '../trpc.ts';

/** Keys of the person who asks; they are never read. */
const userKeysRouter = router({
  get: agentModuleProcedure.query(({ ctx }) => ctx.agent.userKeys.get(ctx.userId)),
  /** `null` removes a key. */
  change: agentModuleProcedure
    .input(userKeysInput)
    .mutation(({ ctx, input }) => ctx.agent.userKeys.change(ctx.userId, input)),
});

/** Settings of the whole server; secrets are never read. */
export const agentSettingsRouter = router({
  get: agentOwnerProcedure.query(({ ctx }) => ctx.agent.settings.get()),
  change: agentOwnerProcedure
    .input(agentSettingsInput)
    .mutation(({ ctx, input }) => ctx.agent.settings.change(input)),
  verify: agentOwnerProcedure
    .input(z.strictObject({ target: verifyTarget, draft: settingsDraft.optional() }))
    .mutation(({ ctx, input }) => ctx.agent.verify(ctx.userId, input.target, input.draft)),
  userKeys: userKeysRouter,
});
