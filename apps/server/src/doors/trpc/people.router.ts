import { personIdInput } from '@drawbridge/contracts/accounts';
import { ownerProcedure, router } from './trpc.ts';

/** The accounts of the server, for its owner. */
export const peopleRouter = router({
  list: ownerProcedure.query(({ ctx }) => ctx.people.list()),
  disable: ownerProcedure.input(personIdInput).mutation(async ({ ctx, input }): Promise<{ ok: true }> => {
    await ctx.people.disable(input.id);
    return { ok: true };
  }),
  enable: ownerProcedure.input(personIdInput).mutation(async ({ ctx, input }): Promise<{ ok: true }> => {
    await ctx.people.enable(input.id);
    return { ok: true };
  }),
  remove: ownerProcedure.input(personIdInput).mutation(async ({ ctx, input }): Promise<{ ok: true }> => {
    await ctx.people.remove(input.id);
    return { ok: true };
  }),
});
