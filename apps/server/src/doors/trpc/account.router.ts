import { resetPasswordInput, type SignedIn, type User } from '@drawbridge/contracts/accounts';
import { attemptProcedure, publicProcedure, router } from './trpc.ts';

export const accountRouter = router({
  /** Who is signed in; null without a session. */
  me: publicProcedure.query(({ ctx }): User | null => ctx.session?.user ?? null),
  /** With the link that `drawbridge-server user reset-password` prints: a new password, and a new session alone. */
  resetPassword: attemptProcedure
    .input(resetPasswordInput)
    .mutation(async ({ ctx, input }): Promise<SignedIn> => {
      const { user, sessionProof, cookies } = await ctx.accounts.resetPassword(input);
      ctx.setCookies(cookies);
      return { ...user, sessionProof };
    }),
});
