import { createFakeClock } from '@drawbridge/kit';
import { expect, it } from 'vitest';
import { createLossyHub } from '../../../test/lossy-bus.ts';
import { createRights } from '../../db/rights.ts';
import { shareRights } from './share-rights.ts';

it('a right that one server takes away is read again by the other at once', async () => {
  const clock = createFakeClock();
  const onError = (error: unknown) => {
    throw error;
  };
  const hub = createLossyHub({ clock, fate: () => 'arrives', onError });
  const open = (id: string) => {
    const rights = createRights(() => 0);
    shareRights(rights, hub.open(id, { pollMs: 2_000 }));
    return rights;
  };
  const [one, two] = [open('one'), open('two')];
  let may = true;
  const read = two.cacheRows(async () => may);
  expect(await read('ada')).toBe(true);
  await one.changeRights(async () => void (may = false));
  expect(await read('ada')).toBe(false);
  // Each change is said once: an answer would go back and forth.
  expect(one.version()).toBe(1);
});
