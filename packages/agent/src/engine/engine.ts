import { createBoundedMap, createKeyedQueue, exponential } from '@drawbridge/kit';
import { createCanvas } from '../memory/canvas.ts';
import type { AgentNeeds } from '../ports/needs.ts';
import type { AgentServers } from '../ports/servers.ts';
import { keyOf, type ThreadKey, threadsOf } from '../rows/keys.ts';
import { agentOf, historyOf, openCallsOf } from '../rows/load.ts';
import type { AgentRow } from '../rows/rows.ts';
import type { AgentStore } from '../rows/store.ts';
import type { ToolContext } from '../tools/common/tool.ts';
import { ownNames } from '../tools/names.ts';
import type { TurnEffect } from '../turns/effects.ts';
import { closeAgent, stoppedText } from '../turns/ends/stop.ts';
import { tickPlan } from '../turns/plans/tick-plan.ts';
import type { StepContext } from '../turns/steps/step-context.ts';
import { keepNotes, nameThread } from '../turns/steps/upkeep.ts';
import type { RunContext } from './context.ts';
import { attend } from './attend.ts';
import { createDay } from './day.ts';
import { drive } from './drive.ts';
import { ElsewhereError } from '../rows/errors.ts';
import { createDriving, type Driving, type Held, wakingStore } from './driving.ts';
import { createLaneRunner, type LaneRunner } from './lanes/runner.ts';
import { recover } from './recover.ts';
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
const partsOf = (needs: AgentNeeds): Pick<RunContext, 'day' | 'isOwnName'> => {
  const { domains, workspace } = needs;
  const ofWorkspaces = (workspace?.tools() ?? []).map(({ name }) => `workspace_${name}`);
  return {
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

/** Where its work failed and it could not be ended, because the store is away, an agent is woken again. */
const again = { baseMs: 1_000, capMs: 60_000 };

const createWake = (ctx: () => RunContext, workers: Workers, until: (signal: AbortSignal) => AbortSignal) => {
  const work = (agent: { userId: string; agentId: string }, failures: number): void =>
    workers.wake(agent.agentId, async (own) => {
      const signal = until(own);
      try {
        await wake(ctx(), agent, signal);
      } catch (error) {
        if (!signal.aborted && !(error instanceof ElsewhereError))
          ctx().clock.after(exponential(failures, again), () => work(agent, failures + 1));
        throw error;
      }
    });
  return (userId: string, agentId: string) => work({ userId, agentId }, 0);
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
      const { agent } = effect.work;
      const key = `notes ${agent.userId} ${agent.threadId} ${historyOf(agent)}`;
      return workers.tidy(key, (signal) => keepNotes(ctx, effect, signal));
    }
    default:
      return effect satisfies never;
  }
};

/** The thread of an effect; undefined where it is gone, or the effect belongs to none. */
const threadOfEffect = async ({ store }: AgentNeeds, effect: TurnEffect): Promise<ThreadKey | undefined> => {
  switch (effect.type) {
    case 'wake':
      return agentOf({ store }, effect.userId, effect.agentId);
    case 'tickPlan':
      return (await store.find('agentPlans', { userId: effect.userId, id: effect.planId }))[0];
    case 'stop':
      return effect.agents[0];
    case 'checkLane':
      return effect.thread;
    case 'runEnded':
    case 'nameThread':
      return effect.run;
    case 'keepNotes':
      return effect.work.agent;
    // Of turns that the driver of a thread makes alone.
    case 'dropModelCall':
    case 'runWaits':
      return undefined;
    default:
      return effect satisfies never;
  }
};

/** The context of work that belongs to no driver: what follows from it is done by the drivers of threads. */
const outsideContext = (ctx: RunContext, driving: Driving): RunContext => {
  const { onError } = ctx;
  const performAt = async (effect: TurnEffect) => {
    const key = await threadOfEffect(ctx, effect);
    if (!key) return;
    try {
      await (await driving.own(key)).perform([effect]);
    } catch (error) {
      if (!(error instanceof ElsewhereError)) throw error;
      await driving.notify(key);
    }
  };
  const perform: RunContext['perform'] = async (effects) => {
    for (const effect of effects) await performAt(effect);
  };
  return {
    ...ctx,
    perform,
    wake: (userId, agentId) => void perform([{ type: 'wake', userId, agentId }]).catch(onError),
    stopAgents: async (agents, outcome) => {
      for (const key of threadsOf(agents)) {
        const own = await driving.own(key);
        await own.stopAgents(
          agents.filter((agent) => keyOf(agent) === keyOf(key)),
          outcome,
        );
      }
    },
  };
};

/** What the floor above does where a store has several servers. */
interface EngineHooks {
  /** A thread was taken, or another server has changed it. */
  onAttended?(held: Held): void;
  /** Another server may drive the thread now. */
  onLost?(key: ThreadKey): void;
}

/** Runs agents: one at a time each, woken whenever their rows have changed. Nothing waits in memory alone. */
export const createEngine = (given: AgentNeeds, hooks: EngineHooks = {}) => {
  // What was begun for a thread that another server drives now is its work.
  const onError = (error: unknown) => void (error instanceof ElsewhereError || given.onError(error));
  const needs = { ...given, onError };
  const workers = createWorkers(needs);
  const shared = { ...partsOf(needs), ...newCaches() };
  const canvasQueue = createKeyedQueue();
  const contextOn = (store: AgentStore, lost?: AbortSignal): RunContext => {
    const until = (signal: AbortSignal) => (lost ? AbortSignal.any([signal, lost]) : signal);
    const ctx: RunContext = {
      ...needs,
      ...shared,
      store,
      canvas: createCanvas({ ...needs, store }, canvasQueue),
      wake: createWake(() => ctx, workers, until),
      stopAgents: (agents, outcome) => stopAgents(ctx, workers, { agents, outcome }),
      perform: async (effects) => {
        for (const effect of effects) await performOne({ ctx, workers, runner }, effect);
      },
    };
    return ctx;
  };
  const openDriving = (servers: AgentServers) => {
    const driving = createDriving({
      ...needs,
      servers,
      open: contextOn,
      outside: () => outside,
      isWaitedFor: ({ userId, threadId }) => requests.ofThread(userId, threadId).length > 0,
      resume: async (held, why) => {
        try {
          await (why.isTaken ? recover(held.ctx, { ...held, why }) : attend({ ...held, runner, requests }));
        } finally {
          hooks.onAttended?.(held);
        }
      },
      onLost: (key) => hooks.onLost?.(key),
    });
    const outside = outsideContext(contextOn(wakingStore(needs.store)), driving);
    return { ctx: outside, driving };
  };
  const { servers } = needs;
  const opened = servers && openDriving(servers);
  const ctx = opened?.ctx ?? contextOn(needs.store);
  const own = (key: ThreadKey): Promise<RunContext> => opened?.driving.own(key) ?? Promise.resolve(ctx);
  const { runner, requests, metrics } = createLaneRunner(ctx, own);
  const { halt, stop } = workers;
  return { ctx, own, driving: opened?.driving, runner, requests, metrics, halt, stop };
};
