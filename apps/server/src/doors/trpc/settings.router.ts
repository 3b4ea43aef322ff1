import { updateSettingsInput } from '@drawbridge/contracts/settings';
import { router, userProcedure } from './trpc.ts';

/** The module as a whole and its two switches. Specification 8. */
export const settingsRouter = router({
  get: userProcedure.query(({ ctx }) => ctx.gateway.settings.get(ctx.userId)),
  update: userProcedure
    .input(updateSettingsInput)
    .mutation(({ ctx, input }) => ctx.gateway.settings.update(ctx.userId, input)),
});
