import { expect, it } from 'vitest';
import { createPending } from './index.ts';

it('resolves what is parked, once', async () => {
  const pending = createPending<string>();
  const parked = pending.park('a');
  expect(pending.size()).toBe(1);
  expect([pending.settle('a', 'first'), pending.settle('a', 'second'), pending.fail('a', 'no')]).toEqual([
    true,
    false,
    false,
  ]);
  await expect(parked).resolves.toBe('first');
  expect(pending.size()).toBe(0);
});

it('rejects what is parked, once', async () => {
  const pending = createPending<string>();
  const parked = pending.park('a');
  const reason = new Error('gone');
  expect([pending.fail('a', reason), pending.settle('a', 'late')]).toEqual([true, false]);
  await expect(parked).rejects.toBe(reason);
});

it('knows nothing of an id that was not parked', () => {
  const pending = createPending<string>();
  expect([pending.settle('a', ''), pending.fail('a', '')]).toEqual([false, false]);
});

it('takes an id once at a time', async () => {
  const pending = createPending<string>();
  const first = pending.park('a');
  expect(() => pending.park('a')).toThrow('A promise is parked under a already');
  pending.settle('a', 'one');
  const second = pending.park('a');
  pending.settle('a', 'two');
  expect(await Promise.all([first, second])).toEqual(['one', 'two']);
});
