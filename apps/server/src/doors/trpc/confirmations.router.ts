import { confirmationIdInput, decideInput, type ConfirmationEvent } from '@drawbridge/contracts';
import { live } from './live.ts';
import { router, userProcedure } from './trpc.ts';

/** Questions that wait for the person. Specification 6.2. */
export const confirmationsRouter = router({
  list: userProcedure.query(({ ctx }) => ctx.gateway.listConfirmations(ctx.userId)),
  /** One question, also when it is no longer open. */
  get: userProcedure
    .input(confirmationIdInput)
    .query(({ ctx, input: { confirmationId } }) => ctx.gateway.getConfirmation(ctx.userId, confirmationId)),
  decide: userProcedure
    .input(decideInput)
    .mutation(({ ctx, input: { confirmationId, ...answer } }) =>
      ctx.gateway.decide(ctx.userId, { confirmationId }, answer),
    ),
  /** The open ones at once, then each that is asked, decided, withdrawn or expired. */
  onChanged: userProcedure.subscription(({ ctx, signal }) =>
    live<ConfirmationEvent>({
      accounts: ctx.accounts,
      streams: ctx.streams,
      session: ctx.session,
      signal,
      listen: (hear) => ctx.gateway.onConfirmationChanged(ctx.userId, hear),
      first: async () =>
        (await ctx.gateway.listConfirmations(ctx.userId)).map((confirmation) => ({
          type: 'confirmation',
          confirmation,
        })),
    }),
  ),
});
