import { acceptInvitationInput, type SignedIn } from '@drawbridge/contracts/accounts';
import { z } from 'zod';
import { attemptProcedure, ownerProcedure, router } from './trpc.ts';

/** The owner invites by link; the person who opens it creates their own account. */
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
  accept: attemptProcedure
    .input(acceptInvitationInput)
    .mutation(async ({ ctx, input }): Promise<SignedIn> => {
      const { user, sessionProof, cookies } = await ctx.accounts.acceptInvitation(input);
      ctx.setCookies(cookies);
      return { ...user, sessionProof };
    }),
});
