import { createBoundedMap } from '@drawbridge/kit';
import { createCanvas } from '../memory/canvas.ts';
import type { AgentNeeds } from '../ports/needs.ts';
import { openCallsOf } from '../rows/load.ts';
import type { AgentRow } from '../rows/rows.ts';
import type { ToolContext } from '../tools/common/tool.ts';
import { ownNames } from '../tools/names.ts';
import type { TurnEffect } from '../turns/effects.ts';
import { closeAgent, stoppedText } from '../turns/ends/stop.ts';
import { tickPlan } from '../turns/plans/tick-plan.ts';
import type { StepContext } from '../turns/steps/step-context.ts';
import { keepNotes, nameThread } from '../turns/steps/upkeep.ts';
import type { RunContext } from './context.ts';
import { createDay } from './day.ts';
import { drive } from './drive.ts';
import { createLaneRunner, type LaneRunner } from './lanes/runner.ts';
import { createWorkers, type Workers } from './workers.ts';

/** What is kept in memory; all of it can be read again. */
const newCaches = (): Omit<StepContext, keyof ToolContext | 'day' | 'model' | 'bus' | 'tracer'> &
  Pick<ToolContext, 'unasked'> => ({
  counts: createBoundedMap({ maxEntries: 1_000 }),
  histories: new Map(),
  endedCalls: new Map(),
  withdrawing: new Set(),
  notesAfter: createBoundedMap({ maxEntries: 1_000 }),
  shownNotices: createBoundedMap({ maxEntries: 10_000 }),
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

/** What does not stop in time is left behind: its rows are ended, and its late results change nothing. */
const stopAgents = (
  ctx: RunContext,
  workers: Workers,
  { agents, outcome }: { agents: readonly AgentRow[]; outcome: 'cancelled' | 'interrupted' },
): Promise<void> =>
  workers.stopped(agents, {
    meanwhile: async () => {
      for (const agent of agents)
        for (const { requestId, state } of await openCallsOf(ctx, agent))
          if (requestId !== null && state === 'running')
            ctx.machine.cancel(agent.userId, requestId).catch(ctx.onError);
    },
    then: async () => {
      const end = { outcome, text: stoppedText[outcome] };
      for (const agent of agents) await ctx.perform(await closeAgent(ctx, agent, end));
    },
  });

const wake = async (ctx: RunContext, agent: { userId: string; agentId: string }, signal: AbortSignal) => {
  try {
    await drive(ctx, agent, signal);
  } finally {
    for (const read of [ctx.histories, ctx.endedCalls]) read.delete(agent.agentId);
  }
};

interface Parts {
  ctx: RunContext;
  workers: Workers;
  runner: LaneRunner;
}

const performOne = async ({ ctx, workers, runner }: Parts, effect: TurnEffect): Promise<void> => {
  switch (effect.type) {
    case 'wake':
      return ctx.wake(effect.userId, effect.agentId);
    case 'tickPlan': {
      const { userId, planId } = effect;
      return workers.tick(planId, async () => ctx.perform(await tickPlan(ctx, userId, planId)));
    }
    case 'stop':
      return ctx.stopAgents(effect.agents, 'cancelled');
    case 'dropModelCall':
      return workers.dropModelCall(effect.agent);
    case 'runEnded':
      return runner.ended(effect.run);
    case 'runWaits':
      return runner.offerSlots();
    case 'checkLane':
      return runner.check(effect.thread);
    case 'nameThread': {
      const { userId, threadId } = effect.run;
      return workers.tidy(`title ${userId} ${threadId}`, (signal) => nameThread(ctx, effect.run, signal));
    }
    case 'keepNotes': {
      const { userId, threadId, kind, id } = effect.work.agent;
      const key = `notes ${userId} ${threadId} ${kind === 'main' ? kind : id}`;
      return workers.tidy(key, (signal) => keepNotes(ctx, effect, signal));
    }
    default:
      return effect satisfies never;
  }
};

/** Runs agents: one at a time each, woken whenever their rows have changed. Nothing waits in memory alone. */
export const createEngine = (needs: AgentNeeds) => {
  const workers = createWorkers(needs);
  const ctx: RunContext = {
    ...needs,
    ...partsOf(needs),
    ...newCaches(),
    wake: (userId, agentId) => workers.wake(agentId, (signal) => wake(ctx, { userId, agentId }, signal)),
    stopAgents: (agents, outcome) => stopAgents(ctx, workers, { agents, outcome }),
    perform: async (effects) => {
      for (const effect of effects) await performOne({ ctx, workers, runner }, effect);
    },
  };
  const { runner, requests, metrics } = createLaneRunner(ctx);
  return { ctx, runner, requests, metrics, halt: workers.halt, stop: workers.stop };
};
