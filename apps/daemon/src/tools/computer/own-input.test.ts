import { createFakeClock } from '@drawbridge/kit';
import { expect, it } from 'vitest';
import { createOwnInput } from './own-input.ts';

it('BR-14 keys count as ours while a tool types and for 500 ms after', async () => {
  const clock = createFakeClock();
  const ownInput = createOwnInput(clock);
  let end = () => {};
  const typing = ownInput.during(() => new Promise<void>((done) => (end = done)));
  expect(ownInput.isActive()).toBe(true);
  end();
  await typing;
  clock.advance(499);
  expect(ownInput.isActive()).toBe(true);
  clock.advance(1);
  expect(ownInput.isActive()).toBe(false);
});

it('BR-14 also when the tool fails', async () => {
  const clock = createFakeClock();
  const ownInput = createOwnInput(clock);
  await expect(ownInput.during(() => Promise.reject(new Error('no display')))).rejects.toThrow('no display');
  expect(ownInput.isActive()).toBe(true);
  clock.advance(500);
  expect(ownInput.isActive()).toBe(false);
});
