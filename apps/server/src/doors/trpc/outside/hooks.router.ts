import { createHookInput, hookIdInput } from '@drawbridge/contracts/outside/hooks';
import { ok, router, userProcedure } from '../trpc.ts';

/** Addresses that other programs post to. */
export const hooksRouter = router({
  /** The secret is shown once: the store keeps it encrypted. */
  create: userProcedure
    .input(createHookInput)
    .mutation(({ ctx, input }) => ctx.hooks.create(ctx.userId, input)),
  list: userProcedure.query(({ ctx }) => ctx.hooks.list(ctx.userId)),
  remove: userProcedure
    .input(hookIdInput)
    .mutation(({ ctx, input }) => ok(ctx.hooks.remove(ctx.userId, input.id))),
});
