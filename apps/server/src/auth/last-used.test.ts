import { createFakeClock } from '@drawbridge/kit';
import { expect, it } from 'vitest';
import { createLastUsedThrottle } from './last-used.ts';

const prepare = () => {
  const clock = createFakeClock(0);
  const writes: unknown[] = [];
  const failures: unknown[] = [];
  let fails = false;
  const note = createLastUsedThrottle({
    clock,
    store: {
      used: async (id, { at, from }) => {
        writes.push([id, at, from]);
        if (fails) throw new Error('full');
      },
    },
    onError: (error) => failures.push(error),
  });
  return { clock, writes, failures, note, fail: () => (fails = true) };
};

it('writes the first use of many at once, then one a minute', () => {
  const { clock, writes, note } = prepare();
  for (let use = 0; use < 100; use += 1) note('t1', 'here');
  clock.advance(59_999);
  note('t1', 'here');
  clock.advance(1);
  note('t1', 'here');
  expect(writes).toEqual([
    ['t1', 0, 'here'],
    ['t1', 60_000, 'here'],
  ]);
});

it('writes a use from elsewhere sooner, and at most once a second', () => {
  const { clock, writes, note } = prepare();
  note('t1', 'here');
  note('t1', 'there');
  clock.advance(1_000);
  for (let use = 0; use < 100; use += 1) note('t1', use % 2 === 0 ? 'there' : 'here');
  expect(writes).toEqual([
    ['t1', 0, 'here'],
    ['t1', 1_000, 'there'],
  ]);
});

it('remembers each token separately, and the last thousand of them', () => {
  const { writes, note } = prepare();
  for (let at = 0; at < 1_001; at += 1) note(`t${at}`, 'here');
  expect(writes).toHaveLength(1_001);
  note('t1000', 'here');
  note('t1', 'here');
  expect(writes).toHaveLength(1_001);
  note('t0', 'here');
  expect(writes).toHaveLength(1_002);
});

it('lets the use pass when it cannot be written', async () => {
  const { failures, note, fail } = prepare();
  fail();
  note('t1', 'here');
  await Promise.resolve();
  await Promise.resolve();
  expect(failures).toEqual([new Error('full')]);
});
