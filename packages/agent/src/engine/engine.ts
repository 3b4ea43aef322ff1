import { createBoundedMap, createKeyedQueue, sleep, type KeyedQueue } from '@drawbridge/kit';
import type { AgentRow } from '../rows.ts';
import { agentEnds, type AgentNeeds, type RunContext } from './context.ts';
import { createCanvas } from '../canvas/canvas.ts';
import { createLanes, laneSignals } from '../lanes/lanes.ts';
import { drive } from './drive.ts';
import { agentLimits } from './limits.ts';
import { openCallsOf } from './load.ts';
import { tickPlan } from '../tasks/run-plan.ts';
import { createDay } from '../step/day.ts';
import { ownNames } from '../tools/names/names.ts';
import { closeAgent, stoppedText } from '../run/stop.ts';

const newMemory = (): Pick<
  RunContext,
  'counts' | 'histories' | 'endedCalls' | 'withdrawing' | 'notesAfter' | 'noticed' | 'unasked'
> => ({
  counts: createBoundedMap({ maxEntries: 1_000 }),
  histories: new Map(),
  endedCalls: new Map(),
  withdrawing: new Set(),
  notesAfter: createBoundedMap({ maxEntries: 1_000 }),
  noticed: createBoundedMap({ maxEntries: 10_000 }),
  unasked: createBoundedMap({ maxEntries: 1_000 }),
});

/** What is made of the host's parts once. */
const partsOf = (needs: AgentNeeds): Pick<RunContext, 'canvas' | 'day' | 'isOwnName'> => {
  const { domains, workspace } = needs;
  const ofWorkspaces = (workspace?.tools() ?? []).map(({ name }) => `workspace_${name}`);
  return {
    canvas: createCanvas(needs),
    day: createDay(needs),
    isOwnName: ownNames([...domains.flatMap(({ toolNames }) => toolNames), ...ofWorkspaces]),
  };
};

/** Runs agents: one at a time each, woken whenever their rows have changed. Nothing waits in memory alone. */
export const createEngine = (needs: AgentNeeds) => {
  const { clock, machine, store, onError } = needs;
  const queue: KeyedQueue = createKeyedQueue();
  const working = new Map<string, AbortController>();
  /** Agents that are being stopped: they are not driven again. */
  const closing = new Set<string>();
  const tidying = new Set<string>();
  const ending = new AbortController();
  let isStopping = false;

  const run = async (userId: string, agentId: string) => {
    if (isStopping || closing.has(agentId)) return;
    const own = new AbortController();
    working.set(agentId, own);
    try {
      await drive(ctx, { userId, agentId }, own.signal);
    } catch (error) {
      if (!own.signal.aborted) throw error;
    } finally {
      working.delete(agentId);
      for (const read of [ctx.histories, ctx.endedCalls]) read.delete(agentId);
    }
  };

  /** Aborts the work of agents without ending them, and resolves when it has stopped. */
  const halt = async (agents: readonly Pick<AgentRow, 'id'>[]): Promise<void> => {
    const halted = agents.map(({ id }) => {
      working.get(id)?.abort(agentEnds);
      return queue.run(id, async () => {});
    });
    await Promise.all(halted);
  };

  /** What does not stop in time is left behind: its rows are ended, and its late results change nothing. */
  const stopAgents: RunContext['stopAgents'] = async (agents, outcome) => {
    for (const { id } of agents) closing.add(id);
    const timedOut = Promise.withResolvers<void>();
    const cancelTimer = clock.after(agentLimits.stopMs, timedOut.resolve);
    try {
      const halted = halt(agents);
      for (const agent of agents) {
        for (const { requestId, state } of await openCallsOf({ store }, agent))
          if (requestId !== null && state === 'running')
            machine.cancel(agent.userId, requestId).catch(onError);
      }
      await Promise.race([halted, timedOut.promise]);
      const end = { outcome, text: stoppedText[outcome] };
      for (const agent of agents) await closeAgent(ctx, agent, end);
    } finally {
      cancelTimer();
      for (const { id } of agents) closing.delete(id);
    }
  };

  const ctx: RunContext = {
    ...needs,
    lanes: laneSignals(() => lanes.runner),
    ...partsOf(needs),
    ...newMemory(),
    wake: (userId, agentId) => void queue.run(agentId, () => run(userId, agentId)).catch(onError),
    tickPlan: (userId, planId) => void queue.run(planId, () => tickPlan(ctx, userId, planId)).catch(onError),
    tidy: (key, job) => {
      if (isStopping || tidying.has(key)) return;
      tidying.add(key);
      const done = job(ending.signal).catch((error: unknown) => {
        if (!ending.signal.aborted) onError(error);
      });
      void done.finally(() => tidying.delete(key));
    },
    interruptThought: ({ id, state }) => {
      if (state === 'ready') working.get(id)?.abort();
    },
    stopAgents,
  };
  const lanes = createLanes(ctx);

  return {
    ctx,
    lanes,
    halt,
    /** No agent works from now on; model calls are aborted. */
    stop: async () => {
      isStopping = true;
      ending.abort();
      for (const own of working.values()) own.abort();
      await Promise.race([queue.settled(), sleep(clock, agentLimits.stopMs)]);
    },
  };
};
