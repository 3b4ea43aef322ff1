import { createFakeClock } from '@drawbridge/kit';
import { expect, it } from 'vitest';
import { createSeries } from './series.ts';
import type { Source } from './sources.ts';

const view = (id: string): Source['view'] => ({
  id,
  name: id,
  kind: 'process',
  runtime: 'process',
  status: 'running',
  graphCapable: true,
  logCapable: true,
});

it('samples each 15 s for four hours, in buckets with the last state and the sums', async () => {
  const clock = createFakeClock();
  const start = clock.now();
  clock.advance(30_000 - (start % 30_000));
  const begin = clock.now();
  let state: Source['state'] = { stateCode: 3, healthCode: 2, errors: 0, restarts: 0 };
  const series = createSeries({
    clock,
    sources: async () => [{ view: view('a'), state, log: async () => null }],
    ownerId: async () => 'ada',
    onError: (error) => {
      throw error;
    },
  });
  const stop = series.start();
  await clock.settle(15_000);
  state = { stateCode: 1, healthCode: 1, errors: 2, restarts: 1 };
  await clock.settle(15_000);
  const input = { windowMinutes: 60, bucketSeconds: 30, sourceIds: ['a'] };
  expect(await series.read('ada', input)).toEqual({
    generatedAt: begin + 30_000,
    windowMinutes: 60,
    bucketSeconds: 30,
    series: [
      {
        sourceId: 'a',
        points: [
          { ts: begin, stateCode: 3, healthCode: 2, errorCount: 0, restartCount: 0 },
          { ts: begin + 30_000, stateCode: 1, healthCode: 1, errorCount: 2, restartCount: 1 },
        ],
      },
    ],
  });
  await expect(series.read('ada', { ...input, sourceIds: ['b'] })).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
  for (let at = 0; at < 1_000; at += 1) await series.sample();
  const all = await series.read('ada', { windowMinutes: 240, bucketSeconds: 15 });
  expect(all.series[0]?.points.reduce((sum, { errorCount }) => sum + errorCount, 0)).toBe(0);
  stop();
  expect(clock.waiting()).toBe(0);
});
