import { confirmationIdInput, decideInput } from '@drawbridge/contracts/confirmation';
import { router, userProcedure } from './trpc.ts';

/** Questions that wait for the person. Specification 6.2. */
export const confirmationsRouter = router({
  list: userProcedure.query(({ ctx }) => ctx.gateway.confirmations.list(ctx.userId)),
  /** One question, also when it is no longer open. */
  get: userProcedure
    .input(confirmationIdInput)
    .query(({ ctx, input: { confirmationId } }) => ctx.gateway.confirmations.get(ctx.userId, confirmationId)),
  decide: userProcedure
    .input(decideInput)
    .mutation(({ ctx, input: { confirmationId, ...answer } }) =>
      ctx.gateway.confirmations.decide(ctx.userId, { confirmationId }, answer),
    ),
});
