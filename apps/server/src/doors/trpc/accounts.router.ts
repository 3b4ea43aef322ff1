import {
  acceptInvitationInput,
  createOwnerInput,
  personIdInput,
  resetPasswordInput,
  sessionIdInput,
  type SetupStatus,
  type SignedIn,
  type User,
} from '@drawbridge/contracts/accounts';
import { z } from 'zod';
import type { FreshSession } from '../../auth/index.ts';
import type { Context } from './context.ts';
import { attemptProcedure, ok, ownerProcedure, publicProcedure, router, userProcedure } from './trpc.ts';

/** Puts the cookies of a new session on the answer, and its proof into it. */
const signIn = (ctx: Context, { user, sessionProof, cookies }: FreshSession): SignedIn => {
  ctx.setCookies(cookies);
  return { ...user, sessionProof };
};

export const accountRouter = router({
  /** Who is signed in; null without a session. */
  me: publicProcedure.query(({ ctx }): User | null => ctx.session?.user ?? null),
  /** Where the user is signed in. */
  sessions: userProcedure.query(({ ctx }) => ctx.accounts.listSessions(ctx.session)),
  endSession: userProcedure
    .input(sessionIdInput)
    .mutation(({ ctx, input }) => ok(ctx.accounts.endSession(ctx.userId, input.id))),
  /**
   * Sets a new password with the link of `drawbridge-server user reset-password`; ends all other sessions.
   */
  resetPassword: attemptProcedure
    .input(resetPasswordInput)
    .mutation(async ({ ctx, input }) => signIn(ctx, await ctx.accounts.resetPassword(input, ctx))),
});

/** The first run: the owner's account is made once, with the token from the server's console. */
export const setupRouter = router({
  status: publicProcedure.query(async ({ ctx }): Promise<SetupStatus> => ({
    needed: await ctx.accounts.setupNeeded(),
    serverCommand: ctx.serverCommand,
  })),
  createOwner: attemptProcedure
    .input(createOwnerInput)
    .mutation(async ({ ctx, input }) => signIn(ctx, await ctx.accounts.createOwner(input, ctx))),
});

/** The owner invites by link; the person who opens it creates their own account. */
export const invitationsRouter = router({
  /** The link is shown once: the store keeps a digest. */
  create: ownerProcedure.mutation(({ ctx }) => ctx.accounts.createInvitation(ctx.userId)),
  list: ownerProcedure.query(({ ctx }) => ctx.accounts.listInvitations()),
  revoke: ownerProcedure
    .input(z.strictObject({ id: z.string().min(1).max(64) }))
    .mutation(({ ctx, input }) => ok(ctx.accounts.revokeInvitation(input.id))),
  accept: attemptProcedure
    .input(acceptInvitationInput)
    .mutation(async ({ ctx, input }) => signIn(ctx, await ctx.accounts.acceptInvitation(input, ctx))),
});

/** The accounts of the server, for its owner. */
export const peopleRouter = router({
  list: ownerProcedure.query(({ ctx }) => ctx.people.list()),
  disable: ownerProcedure.input(personIdInput).mutation(({ ctx, input }) => ok(ctx.people.disable(input.id))),
  enable: ownerProcedure.input(personIdInput).mutation(({ ctx, input }) => ok(ctx.people.enable(input.id))),
  remove: ownerProcedure.input(personIdInput).mutation(({ ctx, input }) => ok(ctx.people.remove(input.id))),
});
