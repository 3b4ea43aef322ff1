import { createKeyedQueue, sleep, type Clock } from '@drawbridge/kit';
import { agentLimits } from '../rows/limits.ts';
import type { AgentRow } from '../rows/rows.ts';
import { agentEnds } from '../turns/steps/step-context.ts';

interface WorkersNeeds {
  clock: Clock;
  onError(error: unknown): void;
}

export type Workers = ReturnType<typeof createWorkers>;

/** Who works at present: one job of an agent or a plan at a time, until the server stops. */
export const createWorkers = ({ clock, onError }: WorkersNeeds) => {
  const queue = createKeyedQueue();
  const working = new Map<string, AbortController>();
  /** Agents that are being stopped: they do not work again. */
  const closing = new Set<string>();
  const tidying = new Set<string>();
  const ending = new AbortController();
  let isStopping = false;

  const work = async (agentId: string, job: (signal: AbortSignal) => Promise<void>) => {
    if (isStopping || closing.has(agentId)) return;
    const own = new AbortController();
    working.set(agentId, own);
    try {
      await job(own.signal);
    } catch (error) {
      if (!own.signal.aborted) throw error;
    } finally {
      working.delete(agentId);
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

  return {
    halt,
    /** An agent works behind what it does now. */
    wake: (agentId: string, job: (signal: AbortSignal) => Promise<void>) =>
      void queue.run(agentId, () => work(agentId, job)).catch(onError),
    tick: (planId: string, job: () => Promise<void>) => void queue.run(planId, job).catch(onError),
    /** Drops the model call of an agent; its step begins again when it is woken. */
    dropModelCall: ({ id, state }: Pick<AgentRow, 'id' | 'state'>) => {
      if (state === 'ready') working.get(id)?.abort();
    },
    /** Runs a job beside the agents, one of each key at a time; dropped when the server stops. */
    tidy: (key: string, job: (signal: AbortSignal) => Promise<void>) => {
      if (isStopping || tidying.has(key)) return;
      tidying.add(key);
      const done = job(ending.signal).catch((error: unknown) => {
        if (!ending.signal.aborted) onError(error);
      });
      void done.finally(() => tidying.delete(key));
    },
    /** Halts agents, which do not work meanwhile, and runs the job at most 1.5 s later. */
    stopped: async (
      agents: readonly AgentRow[],
      { meanwhile, then }: { meanwhile(): Promise<void>; then(): Promise<void> },
    ): Promise<void> => {
      for (const { id } of agents) closing.add(id);
      const timedOut = Promise.withResolvers<void>();
      const cancelTimer = clock.after(agentLimits.stopMs, timedOut.resolve);
      try {
        const halted = halt(agents);
        await meanwhile();
        await Promise.race([halted, timedOut.promise]);
        await then();
      } finally {
        cancelTimer();
        for (const { id } of agents) closing.delete(id);
      }
    },
    /** No agent works from now on; model calls are aborted. */
    stop: async () => {
      isStopping = true;
      ending.abort();
      for (const own of working.values()) own.abort();
      await Promise.race([queue.settled(), sleep(clock, agentLimits.stopMs)]);
    },
  };
};
