import {
  confirmationChangesInput,
  confirmationIdInput,
  decideInput,
} from '@drawbridge/contracts/confirmation';
import { router, userProcedure } from './trpc.ts';

/** Questions that wait for the person. Specification 6.2. */
export const confirmationsRouter = router({
  list: userProcedure.query(({ ctx }) => ctx.gateway.confirmations.list(ctx.userId)),
  /** The open questions that the reader does not know yet, and which of the known ones are open no longer. */
  changes: userProcedure.input(confirmationChangesInput).query(async ({ ctx, input }) => {
    const open = await ctx.gateway.confirmations.list(ctx.userId);
    const ids = new Set(open.map(({ id }) => id));
    const known = new Set(input.known);
    return {
      asked: open.filter(({ id }) => !known.has(id)),
      closed: input.known.filter((id) => !ids.has(id)),
    };
  }),
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
