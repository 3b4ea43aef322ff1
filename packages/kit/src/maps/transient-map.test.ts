import { property, assert, array, constantFrom, integer, record } from 'fast-check';
import { expect, it } from 'vitest';
import { createTransientMap } from './transient-map.ts';

const step = record({
  act: constantFrom('set' as const, 'delete' as const),
  key: integer({ min: 0, max: 8 }),
  value: integer(),
});

it('holds what a Map holds, also across many deletions', () => {
  assert(
    property(array(step, { maxLength: 300, size: 'max' }), (steps) => {
      const map = createTransientMap<number, number>();
      const plain = new Map<number, number>();
      for (const { act, key, value } of steps) {
        if (act === 'delete') expect(map.delete(key)).toBe(plain.delete(key));
        else {
          map.set(key, value);
          plain.set(key, value);
        }
        expect([map.size, map.get(key), map.has(key)]).toEqual([plain.size, plain.get(key), plain.has(key)]);
      }
      expect([[...map], [...map.keys()], [...map.values()]]).toEqual([
        [...plain],
        [...plain.keys()],
        [...plain.values()],
      ]);
      map.clear();
      expect([map.size, [...map]]).toEqual([0, []]);
    }),
  );
});

it('gives in a loop what was set meanwhile, also when a deletion made a new map', () => {
  const map = createTransientMap<number, string>();
  for (let key = 0; key < 100; key += 1) map.set(key, 'old');
  const seen: [number, string][] = [];
  for (const entry of map) {
    seen.push(entry);
    for (let other = 1; other < 99; other += 1) map.delete(other);
    map.set(99, 'new');
  }
  expect(seen).toEqual([
    [0, 'old'],
    [99, 'new'],
  ]);
});

it('leaves out of a loop what is deleted meanwhile, also when that makes a new map', () => {
  const map = createTransientMap<number, string>();
  for (let key = 0; key < 200; key += 1) map.set(key, `${key}`);
  const seen: number[] = [];
  for (const key of map.keys()) {
    seen.push(key);
    for (let other = key + 1; other < 199; other += 1) map.delete(other);
  }
  expect(seen).toEqual([0, 199]);
});
