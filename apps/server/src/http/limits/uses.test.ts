import { createFakeClock } from '@drawbridge/kit';
import { expect, it } from 'vitest';
import { createUses, type SharedCount } from './uses.ts';

/** Counts as Redis does, until it is away. */
const createShared = () => {
  const counts = new Map<string, number>();
  const state = { isAway: false };
  const count: SharedCount = async ({ key, isUse }) => {
    if (state.isAway) throw new Error('away');
    const uses = (counts.get(key) ?? 0) + Number(isUse);
    counts.set(key, uses);
    return { uses, leftMs: 30_000 };
  };
  return { state, counts, count };
};

const openTwo = () => {
  const shared = createShared();
  const clock = createFakeClock();
  const open = (name = 'signIn') => createUses({ clock, name, max: 2, shared: shared.count });
  return { shared, clock, open, a: open(), b: open() };
};

it('two servers count together, and each limit for itself', async () => {
  const { shared, open, a, b } = openTwo();
  expect([await a.use('x'), await b.use('x'), await b.use('y'), await b.check('x')]).toEqual([
    ...[null, null, null, null],
  ]);
  expect([await a.use('x'), await b.check('x'), await b.use('x')]).toEqual([30, 30, 30]);
  expect(await open('pairing').use('x')).toBeNull();
  expect([...shared.counts.keys()]).toEqual(['signIn:x', 'signIn:y', 'pairing:x']);
});

it('without the others each server goes on with what it has seen itself', async () => {
  const { shared, clock, a, b } = openTwo();
  await a.use('x');
  shared.state.isAway = true;
  expect([await a.use('x'), await a.use('x'), await b.use('x')]).toEqual([null, 60, null]);
  shared.state.isAway = false;
  // What Redis has forgotten, this server has not.
  shared.counts.clear();
  expect(await a.use('x')).toBe(60);
  clock.advance(60_000);
  expect(await a.use('x')).toBeNull();
});
