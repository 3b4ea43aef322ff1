import { createOwnerInput, type SetupStatus, type SignedIn } from '@drawbridge/contracts/accounts';
import { attemptProcedure, publicProcedure, router } from './trpc.ts';

/** The first run: the owner's account is made once, with the token from the server's console. */
export const setupRouter = router({
  status: publicProcedure.query(async ({ ctx }): Promise<SetupStatus> => ({
    needed: await ctx.accounts.setupNeeded(),
    serverCommand: ctx.serverCommand,
  })),
  createOwner: attemptProcedure
    .input(createOwnerInput)
    .mutation(async ({ ctx, input }): Promise<SignedIn> => {
      const { user, sessionProof, cookies } = await ctx.accounts.createOwner(input);
      ctx.setCookies(cookies);
      return { ...user, sessionProof };
    }),
});
