import { createBoundedMap } from '@drawbridge/kit';
import type { LaneMetrics } from './request.ts';

type Counter =
  | keyof LaneMetrics['runStates']
  | Exclude<keyof LaneMetrics['lanes'], 'waitMsP50' | 'waitMsP95'>;

interface Numbers {
  counts: Map<Counter, number>;
  waitMs: number[];
  cancelMs: number[];
}

const maxSamples = 100;
const maxUsers = 1_000;
const everyone = '';

const newNumbers = (): Numbers => ({ counts: new Map(), waitMs: [], cancelMs: [] });

const percentile = (samples: readonly number[], part: number): number =>
  samples.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(samples.length * part) - 1)] ?? 0;

export type MetricsRecorder = ReturnType<typeof createMetrics>;

/** Numbers since the start, of each user and of all. */
export const createMetrics = () => {
  const byUser = createBoundedMap<string, Numbers>({ maxEntries: maxUsers });
  const all = newNumbers();

  const of = (userId: string): Numbers => {
    const known = byUser.get(userId) ?? newNumbers();
    byUser.set(userId, known);
    return known;
  };
  const both = (userId: string) => [all, of(userId)];

  return {
    count: (userId: string, counter: Counter) => {
      for (const { counts } of both(userId)) counts.set(counter, (counts.get(counter) ?? 0) + 1);
    },
    /** How long a message waited for its run, and a run for its end after it was cancelled. */
    sample: (userId: string, kind: 'waitMs' | 'cancelMs', ms: number) => {
      for (const numbers of both(userId)) {
        numbers[kind].push(ms);
        if (numbers[kind].length > maxSamples) numbers[kind].shift();
      }
    },
    read: (userId: string | undefined = everyone, queueDepth: number): LaneMetrics => {
      const { counts, waitMs, cancelMs } = userId === everyone ? all : (byUser.get(userId) ?? newNumbers());
      const of = (counter: Counter) => counts.get(counter) ?? 0;
      return {
        runStates: {
          start: of('start'),
          complete: of('complete'),
          cancel_requested: of('cancel_requested'),
          cancelled: of('cancelled'),
          error: of('error'),
        },
        queueDepth,
        cancelLatencyMs: { sampleCount: cancelMs.length, samples: [...cancelMs] },
        lanes: {
          waitMsP50: percentile(waitMs, 0.5),
          waitMsP95: percentile(waitMs, 0.95),
          overflow: of('overflow'),
          superseded: of('superseded'),
          preempted: of('preempted'),
          merged: of('merged'),
          steered: of('steered'),
          steerFellBack: of('steerFellBack'),
          forced: of('forced'),
        },
      };
    },
  };
};
