import { getHeapSpaceStatistics } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { createCollector, runtimeHeap } from './collector.ts';
import { nextMacrotask } from './time/clock.ts';

const mebibyte = 1024 * 1024;

const collections = async (usedMebibytes: number, dropped: number[]) => {
  let count = 0;
  const heap = { usedBytes: () => usedMebibytes * mebibyte, collect: () => (count += 1), shrink: () => {} };
  const collector = createCollector(heap, mebibyte);
  for (const mebibytes of dropped) {
    await collector.dropped(mebibytes * mebibyte);
  }
  return count;
};

describe('the collector', () => {
  it.each<[string, number, number[], number]>([
    ['nothing is dropped', 8, [], 0],
    ['less than enough', 8, [0.5, 0.4], 0],
    ['enough in all', 8, [0.5, 0.5], 1],
    ['enough, and once more', 8, [1, 0.9, 0.1], 2],
    ['much at once', 8, [16], 1],
    ['a heap of 64 MiB', 64, [1], 1],
    ['a heap beyond 64 MiB', 65, [16], 0],
  ])('%s', async (_case, used, dropped, expected) => {
    expect(await collections(used, dropped)).toBe(expected);
  });

  it('collects once for what is dropped in one turn, and not in that turn', async () => {
    let count = 0;
    const collector = createCollector(
      { usedBytes: () => 0, collect: () => (count += 1), shrink: () => {} },
      mebibyte,
    );
    const given = Array.from({ length: 3 }, () => collector.dropped(mebibyte).then(() => count));
    expect(count).toBe(0);
    expect(await Promise.all(given)).toEqual([1, 1, 1]);
  });
});

it('the heap of this process collects garbage, and does not expose `gc`', async () => {
  const heap = runtimeHeap();
  const held = () => new WeakRef(Array.from({ length: 100_000 }, () => 'large'));
  const ref = held();
  await nextMacrotask();
  heap.collect();
  expect(ref.deref()).toBeUndefined();
  expect(heap.usedBytes()).toBeGreaterThan(mebibyte);
  expect(runInNewContext('typeof gc')).toBe('undefined');
});

it('the heap of this process gives back what garbage had', () => {
  const heap = runtimeHeap();
  const youngBytes = () => getHeapSpaceStatistics()[1]?.space_size ?? 0;
  // More that lives than the young generation has at first: it grows.
  const held = Array.from({ length: 200_000 }, (_, number) => ({ number }));
  const before = youngBytes();
  expect(held).toHaveLength(200_000);
  heap.shrink();
  expect(youngBytes()).toBeLessThan(before);
});
