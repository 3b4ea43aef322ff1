import { newRule, ruleIdInput, type RulesQuery } from '@drawbridge/contracts/rules';
import { requireMachine } from '../../callers/index.ts';
import type { Gateway } from '../../gateway/index.ts';
import { router, userProcedure } from './trpc.ts';

const query = async ({ gateway, userId }: { gateway: Gateway; userId: string }, rulesQuery: RulesQuery) =>
  gateway.rules.query(await requireMachine(gateway, { userId }), rulesQuery);

/** The rules of the user's default machine; each procedure gives all of them as they are then. */
export const rulesRouter = router({
  list: userProcedure.query(({ ctx }) => query(ctx, { type: 'list' })),
  remove: userProcedure
    .input(ruleIdInput)
    .mutation(({ ctx, input: { ruleId } }) => query(ctx, { type: 'remove', ruleId })),
  /** Only where the machine's settings permit it. */
  add: userProcedure.input(newRule).mutation(({ ctx, input: rule }) => query(ctx, { type: 'add', rule })),
});
