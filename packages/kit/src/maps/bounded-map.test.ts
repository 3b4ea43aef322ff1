import { expect, it } from 'vitest';
import { createBoundedMap } from './bounded-map.ts';

it('evicts the oldest entry, where a set makes an entry the newest', () => {
  const evicted: [string, number][] = [];
  const map = createBoundedMap<string, number>({
    maxEntries: 2,
    onEvict: (key, value) => evicted.push([key, value]),
  });
  map.set('a', 1);
  map.set('b', 2);
  map.set('a', 3);
  map.set('c', 4);
  expect([[...map], evicted, map.size]).toEqual([
    [
      ['a', 3],
      ['c', 4],
    ],
    [['b', 2]],
    2,
  ]);
});

it('keeps the sum of the weights, also after deletions and replacements', () => {
  const map = createBoundedMap<string, string>({
    maxEntries: 10,
    maxWeight: 6,
    weigh: (text) => text.length,
  });
  map.set('a', 'xxxx');
  map.set('a', 'xx');
  map.set('b', 'xxxx');
  map.delete('b');
  map.set('c', 'xxxx');
  expect([...map].map(([key]) => key)).toEqual(['a', 'c']);
  map.set('d', 'x');
  expect([...map].map(([key]) => key)).toEqual(['c', 'd']);
  map.set('e', 'xxxxxxx');
  expect(map.size).toBe(0);
});

it('never evicts what must stay', () => {
  const map = createBoundedMap<string, 'running' | 'done'>({
    maxEntries: 1,
    isEvictable: (state) => state === 'done',
  });
  map.set('a', 'running');
  map.set('b', 'done');
  map.set('c', 'running');
  expect([...map].map(([key]) => key)).toEqual(['a', 'c']);
});

it('deletes and clears like a map', () => {
  const map = createBoundedMap<string, number | undefined>({ maxEntries: 3 });
  map.set('a', undefined);
  expect([map.has('a'), map.get('a'), map.delete('a'), map.delete('a')]).toEqual([
    true,
    undefined,
    true,
    false,
  ]);
  map.set('b', 1);
  map.clear();
  expect([map.size, map.has('b')]).toEqual([0, false]);
});
