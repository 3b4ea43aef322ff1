import type { RunsStore } from './runs.store.ts';

const mostSamples = 100;

/** How runs of the agent have ended, and how long cancelling took, in milliseconds. */
export const runMetrics = async (
  store: Pick<RunsStore, 'runs' | 'cancelLatencies' | 'waiting'>,
  userId: string | null,
  since: number,
) => {
  const [runs, samples, queueDepth] = await Promise.all([
    store.runs(userId, since),
    store.cancelLatencies(userId, since, mostSamples),
    store.waiting(userId),
  ]);
  const countOf = (...states: string[]) =>
    runs.reduce((sum, { state, count }) => sum + (states.includes(state) ? count : 0), 0);
  return {
    runStates: {
      start: runs.reduce((sum, { count }) => sum + count, 0),
      complete: countOf('completed'),
      cancel_requested: runs.reduce((sum, { stopAsked }) => sum + stopAsked, 0),
      cancelled: countOf('cancelled'),
      error: countOf('error', 'interrupted'),
    },
    cancelLatencyMs: { sampleCount: samples.length, samples },
    queueDepth,
  };
};
