import { ModelError, type ModelPort } from '@drawbridge/agent';
import type { Clock } from '@drawbridge/kit';

/** One call of a model for a run. `latencyMs` is until its last part. */
export interface ModelCall {
  runId: string | null;
  model: string;
  at: number;
  latencyMs: number;
  /** Null for one that succeeded. */
  error: string | null;
}

/** Calls that are remembered, and those that an answer names. */
const mostCalls = 1_000;
const mostRecent = 20;

/** The newest calls of models since the start, in memory. */
export const createModelCalls = (clock: Clock) => {
  const calls: ModelCall[] = [];
  return {
    /** The same model, whose calls are counted. */
    counted: (model: ModelPort): ModelPort => ({
      ...model,
      stream: async function* (request, signal) {
        const at = clock.now();
        const info = await model.info(request.use);
        let error: string | null = null;
        try {
          yield* model.stream(request, signal);
        } catch (thrown) {
          error = thrown instanceof ModelError ? thrown.kind : 'other';
          throw thrown;
        } finally {
          const runId = request.trace?.runId ?? null;
          calls.push({ runId, model: info?.id ?? '', at, latencyMs: clock.now() - at, error });
          if (calls.length > mostCalls) calls.shift();
        }
      },
    }),
    all: (): readonly ModelCall[] => calls,
  };
};

export type ModelCalls = ReturnType<typeof createModelCalls>;

/** As `system.metrics` shows them; latencies in milliseconds, `errorRate` between 0 and 1. */
export const summaryOf = (calls: readonly ModelCall[]) => {
  const total = calls.length;
  const sum = calls.reduce((ms, { latencyMs }) => ms + latencyMs, 0);
  const failed = calls.filter(({ error }) => error !== null).length;
  return {
    total,
    avgLatency: total === 0 ? 0 : Math.round(sum / total),
    errorRate: total === 0 ? 0 : Math.round((failed / total) * 100) / 100,
    recentCalls: calls
      .slice(-mostRecent)
      .map(({ model, at, latencyMs, error }) => ({ model, timestamp: at, latencyMs, error })),
  };
};
