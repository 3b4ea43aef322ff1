import { createTokenInput, tokenIdInput, updateTokenInput } from '@drawbridge/contracts/tokens';
import { ok, router, userProcedure } from './trpc.ts';

/** The access tokens of the person who is signed in; a token never gets here. */
export const tokensRouter = router({
  /** The token is shown once: the store keeps a digest. */
  create: userProcedure
    .input(createTokenInput)
    .mutation(({ ctx, input }) => ctx.tokens.create(ctx.userId, input)),
  update: userProcedure
    .input(updateTokenInput)
    .mutation(async ({ ctx, input }) => (await ctx.tokens.update(ctx.userId, input)).token),
  list: userProcedure.query(({ ctx }) => ctx.tokens.list(ctx.userId)),
  revoke: userProcedure
    .input(tokenIdInput)
    .mutation(({ ctx, input }) => ok(ctx.tokens.revoke(ctx.userId, input.id))),
});
