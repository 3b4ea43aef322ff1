import { expect, it } from 'vitest';
import { breachesOf } from './rpc-breaches.ts';
import { playAtRandom } from './rpc-play.ts';

it.each([2, 3])('acceptance 11: a thousand random steps of seed %i', async (seed) => {
  const played = await playAtRandom(seed, 1_000);
  expect(breachesOf(played)).toEqual([]);
  expect(played.sends.length).toBeGreaterThan(500);
});
