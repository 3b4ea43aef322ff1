import { clientIdInput, clientRequestInput } from '@drawbridge/contracts/clients';
import { ok, router, userProcedure } from './trpc.ts';

/** The MCP clients that the person who is signed in has connected; a client never gets here. */
export const clientsRouter = router({
  /** Who asks on the consent page. */
  request: userProcedure
    .input(clientRequestInput)
    .query(({ ctx, input }) => ctx.clients.request(input.query, ctx.session)),
  list: userProcedure.query(({ ctx }) => ctx.clients.list(ctx.userId)),
  revoke: userProcedure
    .input(clientIdInput)
    .mutation(({ ctx, input }) => ok(ctx.clients.revoke(ctx.userId, input.id))),
});
