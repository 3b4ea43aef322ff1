import type { AgentNeeds } from '../../ports/needs.ts';
import { agentOf, openCallsOf } from '../../rows/load.ts';
import type { ToolCallRow } from '../../rows/rows.ts';
import { update, type Write } from '../../rows/store.ts';
import { closeConfirmation } from '../../tools/common/asks.ts';
import { openCallStates } from '../../rows/states.ts';
import type { TurnEffect } from '../effects.ts';
import { askForAction } from './ask-for-action.ts';
import { endCall, endWith } from './end-call.ts';

const lostText =
  'The server stopped during this call: it may have run. Look at its effect before you try it again.';

/**
 * An agent has one runner, so a call that still counts as running when its runner begins was left behind by a
 * stop. What can be repeated, or is known to the gateway by its id, runs again; the rest is lost.
 */
export const resumeCalls = async (
  ctx: Pick<AgentNeeds, 'store' | 'clock'>,
  { userId, agentId }: { userId: string; agentId: string },
): Promise<void> => {
  const agent = await agentOf(ctx, userId, agentId);
  if (!agent || agent.state === 'ended') return;
  const left = (await openCallsOf(ctx, agent)).filter(({ state }) => state === 'running');
  const writes = left.flatMap((call): Write[] =>
    call.effect === 'outside'
      ? endCall(ctx, call, endWith('lost', lostText))
      : [update('agentToolCalls', { userId, id: call.id, state: 'running' }, { state: 'planned' })],
  );
  if (writes.length > 0) await ctx.store.commit(writes, 'synced');
};

type MachineCallNeeds = Pick<AgentNeeds, 'store' | 'clock' | 'machine'>;

/** Whether the agent itself asks about a call, before the machine knows of it. */
const isAsked = async ({ store }: MachineCallNeeds, { userId, askId }: ToolCallRow): Promise<boolean> =>
  askId !== null && (await store.find('agentAsks', { userId, id: askId, state: 'open' })).length > 0;

/** The call continues: the person has answered, or the call has ended. */
export const resumeMachineCall = async (ctx: MachineCallNeeds, call: ToolCallRow): Promise<TurnEffect[]> => {
  const { userId, id, agentId, requestId } = call;
  if (call.state !== 'waiting' || requestId === null || (await isAsked(ctx, call))) return [];
  if ((await ctx.machine.stateOf(userId, requestId)) === 'waiting') return [];
  const isWritten = await ctx.store.commit(
    [
      update('agentToolCalls', { userId, id, state: 'waiting' }, { state: 'planned' }),
      closeConfirmation(ctx, call, 'answered'),
    ],
    'synced',
  );
  return isWritten ? [{ type: 'wake', userId, agentId }] : [];
};

/** Calls whose questions a new message withdraws from the machine: their end is no answer. */
export interface Withdrawals {
  withdrawing: Set<string>;
}

/** A call of the agent has changed on its machine. */
export const onMachineCall = async (
  ctx: MachineCallNeeds & Withdrawals,
  userId: string,
  requestId: string,
): Promise<TurnEffect[]> => {
  if (ctx.withdrawing.has(requestId)) return [];
  const [call] = await ctx.store.find('agentToolCalls', { userId, requestId, state: openCallStates });
  if (call === undefined) return [];
  if (call.turnId !== null) await askForAction(ctx, call);
  return resumeMachineCall(ctx, call);
};
