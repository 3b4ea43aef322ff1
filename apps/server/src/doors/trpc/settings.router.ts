import { updateSettingsInput } from '@drawbridge/contracts';
import { router, userProcedure } from './trpc.ts';

/** The module as a whole and its two switches. Specification 8. */
export const settingsRouter = router({
  get: userProcedure.query(({ ctx }) => ctx.gateway.getSettings(ctx.userId)),
  update: userProcedure
    .input(updateSettingsInput)
    .mutation(({ ctx, input }) => ctx.gateway.updateSettings(ctx.userId, input)),
});
