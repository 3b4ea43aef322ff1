import type { ThreadKey } from '../rows/keys.ts';
import { runOf } from '../rows/load.ts';
import { openAgentStates } from '../rows/states.ts';
import { resumeMachineCall } from '../turns/ends/resume-calls.ts';
import type { RunContext } from './context.ts';
import type { Held } from './driving.ts';
import type { Requests } from './lanes/requests.ts';
import type { LaneRunner } from './lanes/runner.ts';

interface Attending extends ThreadKey {
  ctx: RunContext;
  runner: Pick<LaneRunner, 'ended'>;
  requests: Requests;
}

/** Another server may have ended a run, such as by an answer: the requests of its lane end with it. */
const settleRequests = async ({ ctx, runner, requests, userId, threadId }: Attending) => {
  const places = requests.ofThread(userId, threadId).map(({ place }) => place);
  const runIds = new Set(places.flatMap((place) => (place.at === 'run' ? [place.runId] : [])));
  for (const runId of runIds)
    if ((await runOf(ctx, userId, runId))?.endedAt != null) runner.ended({ userId, threadId, runId });
};

/** Calls of own threads whose machine or person has answered: the message that says so may be lost. */
export const resumeAnswered = async (
  { store }: Pick<RunContext, 'store'>,
  heldOf: (key: ThreadKey) => Held | undefined,
): Promise<void> => {
  for (const call of await store.findOfAll('agentToolCalls', { state: 'waiting', effect: 'machine' })) {
    const ctx = heldOf(call)?.ctx;
    if (ctx && call.requestId !== null && !ctx.withdrawing.has(call.requestId))
      // One that fails does not hold up the others.
      await resumeMachineCall(ctx, call).then(ctx.perform).catch(ctx.onError);
  }
};

/** Continues a thread whose rows another server has changed. */
export const attend = async (attending: Attending): Promise<void> => {
  const { ctx, userId, threadId } = attending;
  const thread = { userId, threadId };
  const open = { ...thread, state: openAgentStates };
  for (const { id } of await ctx.store.find('agentAgents', open, { isLenient: true })) ctx.wake(userId, id);
  const plans = await ctx.store.find('agentPlans', { ...thread, state: 'active' }, { isLenient: true });
  await ctx.perform(plans.map(({ id: planId }) => ({ type: 'tickPlan', userId, planId })));
  await settleRequests(attending);
  await ctx.perform([{ type: 'checkLane', thread }]);
};
