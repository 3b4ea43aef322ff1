import { acceptInvitationInput, type User } from '@drawbridge/contracts';
import { z } from 'zod';
import { attemptProcedure, ownerProcedure, router } from './trpc.ts';

/** The owner invites by link; whoever opens it makes their own account. */
export const invitationsRouter = router({
  /** The link is shown once: the store keeps a digest. */
  create: ownerProcedure.mutation(({ ctx }) => ctx.accounts.createInvitation(ctx.userId)),
  list: ownerProcedure.query(({ ctx }) => ctx.accounts.listInvitations()),
  revoke: ownerProcedure
    .input(z.strictObject({ id: z.string().min(1).max(64) }))
    .mutation(async ({ ctx, input }): Promise<{ ok: true }> => {
      await ctx.accounts.revokeInvitation(input.id);
      return { ok: true };
    }),
  accept: attemptProcedure.input(acceptInvitationInput).mutation(async ({ ctx, input }): Promise<User> => {
    const { user, cookies } = await ctx.accounts.acceptInvitation(input);
    ctx.setCookies(cookies);
    return user;
  }),
});
