import { router, userProcedure } from './trpc.ts';

/** The machine of the person who is signed in. Specification 3 and 7. */
export const gatewayRouter = router({
  createLink: userProcedure.mutation(({ ctx }) => ctx.gateway.pairing.createLink(ctx.userId)),
  /** The machine with what it reported last, connected or away. */
  machine: userProcedure.query(({ ctx }) => ctx.gateway.machines.known(ctx.userId)),
  status: userProcedure.query(({ ctx }) => ctx.gateway.machines.status(ctx.userId)),
  tools: userProcedure.query(({ ctx }) => ctx.gateway.machines.tools(ctx.userId)),
  disconnect: userProcedure.mutation(async ({ ctx }): Promise<{ ok: true }> => {
    await ctx.gateway.machines.disconnect(ctx.userId);
    return { ok: true };
  }),
});
