import type { SeriesParams, SeriesPoint } from '@drawbridge/contracts/rpc/ops';
import { createBoundedMap, type Clock } from '@drawbridge/kit';
import { errors } from '../../errors.ts';
import type { Source, Sources } from './sources.ts';

interface Samples {
  points: SeriesPoint[];
  errors: number;
  restarts: number;
}

interface Needs {
  clock: Clock;
  sources: Sources;
  /** The owner's account; null before it exists. */
  ownerId(): Promise<string | null>;
  onError(error: unknown): void;
}

const everyMs = 15_000;
/** Four hours. */
const mostPoints = 960;
const mostSources = 200;
const mostShown = 20;
const minuteMs = 60_000;

/** One point for each bucket: its last state, and the sums of its counts. */
const bucketsOf = (points: readonly SeriesPoint[], bucketMs: number): SeriesPoint[] => {
  const buckets = new Map<number, SeriesPoint>();
  for (const point of points) {
    const ts = Math.floor(point.ts / bucketMs) * bucketMs;
    const before = buckets.get(ts);
    buckets.set(ts, {
      ...point,
      ts,
      errorCount: point.errorCount + (before?.errorCount ?? 0),
      restartCount: point.restartCount + (before?.restartCount ?? 0),
    });
  }
  return [...buckets.values()];
};

/** Samples each source every 15 s and keeps the last four hours in memory. */
export const createSeries = ({ clock, sources, ownerId, onError }: Needs) => {
  const samples = createBoundedMap<string, Samples>({ maxEntries: mostSources });
  let isSampling = false;

  const add = ({ view, state }: Source) => {
    const { stateCode, healthCode, errors: errorsNow, restarts } = state;
    const known = samples.get(view.id) ?? { points: [], errors: errorsNow, restarts };
    known.points.push({
      ts: clock.now(),
      stateCode,
      healthCode,
      errorCount: Math.max(0, errorsNow - known.errors),
      restartCount: Math.max(0, restarts - known.restarts),
    });
    if (known.points.length > mostPoints) known.points.shift();
    samples.set(view.id, { ...known, errors: errorsNow, restarts });
  };

  const sample = async () => {
    if (isSampling) return;
    isSampling = true;
    try {
      const userId = await ownerId();
      if (userId !== null) for (const source of await sources(userId)) add(source);
    } finally {
      isSampling = false;
    }
  };

  return {
    /** Samples from now on; the returned function stops it. */
    start: () => clock.every(everyMs, () => void sample().catch(onError)),
    sample,
    /** Throws `notFound` for an id that `sources` does not list. */
    read: async (userId: string, { windowMinutes, bucketSeconds, sourceIds }: SeriesParams) => {
      const ids = (await sources(userId)).map(({ view }) => view.id);
      const asked = [...new Set(sourceIds ?? ids.slice(0, mostShown))];
      if (asked.some((id) => !ids.includes(id))) throw errors.notFound();
      const now = clock.now();
      const from = now - windowMinutes * minuteMs;
      return {
        generatedAt: now,
        windowMinutes,
        bucketSeconds,
        series: asked.map((sourceId) => ({
          sourceId,
          points: bucketsOf(
            (samples.get(sourceId)?.points ?? []).filter(({ ts }) => ts >= from),
            bucketSeconds * 1_000,
          ),
        })),
      };
    },
  };
};
