import type { ProgressBody } from '@drawbridge/contracts/daemon-surface';
import { actionTool, turnTool } from '@drawbridge/contracts/machines/runtimes';
import { withoutConfirmation } from '@drawbridge/contracts/tool-call';
import { errors } from '../../errors.ts';
import type { Machine } from '../machines/registry.ts';
import type { CallRecord } from './call.ts';
import { admitCall, type CallsContext } from './calls.ts';

/**
 * Makes the calls that a coding agent asks for in its turn, for the turn's maker. A repeat changes nothing.
 * Throws `forbidden` for a call that is no turn, and what `Calls.open` throws for too much.
 */
export const openBelow = async (
  ctx: CallsContext,
  { machine, turn }: { machine: Machine; turn: CallRecord },
  actions: NonNullable<ProgressBody['actions']>,
): Promise<void> => {
  if (turn.tool !== turnTool) throw errors.forbidden();
  const { userId, door, via } = turn;
  for (const { requestId, arguments: given } of actions) {
    if (ctx.openCalls.find(requestId)) continue;
    const options = { door, ...(via && { via }), claim: { requestId, key: null } };
    const args = { ...withoutConfirmation(given), turn: turn.requestId };
    const record = admitCall(
      ctx,
      { userId, machine, options },
      { name: actionTool, arguments: args, bytes: Buffer.byteLength(JSON.stringify(args)) },
    );
    await ctx.openCalls.add({ record, conditions: [] });
  }
};
