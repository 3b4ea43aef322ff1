import { createOwnerInput, type User } from '@drawbridge/contracts';
import { attemptProcedure, publicProcedure, router } from './trpc.ts';

/** The first run: the owner's account is made once, with the token from the server's console. */
export const setupRouter = router({
  status: publicProcedure.query(async ({ ctx }): Promise<{ needed: boolean }> => ({
    needed: await ctx.accounts.setupNeeded(),
  })),
  createOwner: attemptProcedure.input(createOwnerInput).mutation(async ({ ctx, input }): Promise<User> => {
    const { user, cookies } = await ctx.accounts.createOwner(input);
    ctx.setCookies(cookies);
    return user;
  }),
});
