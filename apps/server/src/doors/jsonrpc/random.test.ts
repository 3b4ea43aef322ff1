import { expect, it } from 'vitest';
import { breachesOf } from '../../../test/rpc-breaches.ts';
import { playAtRandom } from '../../../test/rpc-play.ts';

it('acceptance 11: random messages, cancellations, drops and modes: one end each, in the order of section 4', async () => {
  expect(breachesOf(await playAtRandom(1, 60))).toEqual([]);
}, 120_000);
