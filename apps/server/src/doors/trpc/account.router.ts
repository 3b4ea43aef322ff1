import { resetPasswordInput, type SignedIn, type User } from '@drawbridge/contracts/accounts';
import { attemptProcedure, publicProcedure, router } from './trpc.ts';

export const accountRouter = router({
  /** Who is signed in; null without a session. */
  me: publicProcedure.query(({ ctx }): User | null => ctx.session?.user ?? null),
  /**
   * Sets a new password with the link of `drawbridge-server user reset-password`; ends all other sessions.
   */
  resetPassword: attemptProcedure
    .input(resetPasswordInput)
    .mutation(async ({ ctx, input }): Promise<SignedIn> => {
      const { user, sessionProof, cookies } = await ctx.accounts.resetPassword(input);
      ctx.setCookies(cookies);
      return { ...user, sessionProof };
    }),
});
