import {
  listRulesInput,
  newRuleInput,
  ruleIdInput,
  tightenInput,
  type RulesQuery,
} from '@drawbridge/contracts/rules';
import { requireMachine } from '../../../callers/index.ts';
import type { Gateway } from '../../../gateway/index.ts';
import { router, userProcedure } from '../trpc.ts';

interface Asked {
  ctx: { gateway: Gateway; userId: string };
  /** The default machine when undefined. */
  machineId?: string | undefined;
}

const query = async ({ ctx: { gateway, userId }, machineId }: Asked, rulesQuery: RulesQuery) => {
  const meant = { userId, ...(machineId !== undefined && { machineId }) };
  return gateway.rules.query(await requireMachine(gateway, meant), rulesQuery);
};

/**
 * The rules of a machine of the user, by default of the default one. Each procedure gives all of them as
 * they are then.
 */
export const rulesRouter = router({
  list: userProcedure
    .input(listRulesInput)
    .query(({ ctx, input }) => query({ ctx, machineId: input?.machineId }, { type: 'list' })),
  remove: userProcedure
    .input(ruleIdInput)
    .mutation(({ ctx, input: { machineId, ruleId } }) =>
      query({ ctx, machineId }, { type: 'remove', ruleId }),
    ),
  /** Only where the machine's settings permit it. */
  add: userProcedure
    .input(newRuleInput)
    .mutation(({ ctx, input: { machineId, ...rule } }) => query({ ctx, machineId }, { type: 'add', rule })),
  /** Sets a group to a mode that permits less. */
  tighten: userProcedure
    .input(tightenInput)
    .mutation(({ ctx, input: { machineId, ...to } }) =>
      query({ ctx, machineId }, { type: 'tighten', ...to }),
    ),
});
