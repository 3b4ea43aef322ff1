import type { StateChanged } from '@drawbridge/contracts';
import { live } from './live.ts';
import { router, userProcedure } from './trpc.ts';

/** The machine of the person who is signed in. Specification 3 and 7. */
export const gatewayRouter = router({
  createLink: userProcedure.mutation(({ ctx }) => ctx.gateway.createLink(ctx.userId)),
  status: userProcedure.query(({ ctx }) => ctx.gateway.status(ctx.userId)),
  tools: userProcedure.query(({ ctx }) => ctx.gateway.tools(ctx.userId)),
  disconnect: userProcedure.mutation(async ({ ctx }): Promise<{ ok: true }> => {
    await ctx.gateway.disconnect(ctx.userId);
    return { ok: true };
  }),
  /** The status at once, then on each change, to this user alone. */
  onStateChanged: userProcedure.subscription(({ ctx, signal }) =>
    live<StateChanged>({
      accounts: ctx.accounts,
      streams: ctx.streams,
      session: ctx.session,
      signal,
      listen: (hear) => ctx.gateway.onStateChanged(ctx.userId, hear),
      first: async () => [
        { type: 'instanceAiGatewayStateChanged', payload: await ctx.gateway.status(ctx.userId) },
      ],
    }),
  ),
});
