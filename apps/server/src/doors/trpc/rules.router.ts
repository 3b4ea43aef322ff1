import { newRule, ruleIdInput } from '@drawbridge/contracts/rules';
import { router, userProcedure } from './trpc.ts';

/** The rules of the person's machine; each gives all of them as they are then. */
export const rulesRouter = router({
  list: userProcedure.query(({ ctx }) => ctx.gateway.rules.query(ctx.userId, { type: 'list' })),
  remove: userProcedure
    .input(ruleIdInput)
    .mutation(({ ctx, input: { ruleId } }) =>
      ctx.gateway.rules.query(ctx.userId, { type: 'remove', ruleId }),
    ),
  /** Only where the machine's settings permit it. */
  add: userProcedure
    .input(newRule)
    .mutation(({ ctx, input: rule }) => ctx.gateway.rules.query(ctx.userId, { type: 'add', rule })),
});
