import { flushPromises, mount } from '@vue/test-utils';
import { afterEach, expect, it, vi } from 'vitest';
import { setBench, type Bench } from '../../../../test/mounting.ts';
import { useVisits } from './use-recap-store.ts';

let bench: Bench;
afterEach(async () => {
  vi.restoreAllMocks();
  await bench.close();
});

it('a key is a visit at most every 5 minutes, and an open window alone does not count', async () => {
  const visits: number[] = [];
  bench = await setBench({ recap: () => (visits.push(1), null) });
  vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden');
  const window_ = mount({ setup: () => useVisits(), template: '<p />' }, { global: bench.global });
  const count = async (expected: number) => {
    while (visits.length < expected) await flushPromises();
    for (let turn = 0; turn < 20; turn += 1) await flushPromises();
    return visits.length;
  };
  const show = (state: DocumentVisibilityState) => {
    vi.spyOn(document, 'visibilityState', 'get').mockReturnValue(state);
    document.dispatchEvent(new Event('visibilitychange'));
  };
  const press = () => window.dispatchEvent(new KeyboardEvent('keydown', { key: 'x' }));
  expect(await count(0)).toBe(0);
  show('visible');
  expect(await count(1)).toBe(1);
  press();
  bench.clock.advance(3_600_000);
  expect(await count(1)).toBe(1);
  press();
  press();
  expect(await count(2)).toBe(2);
  bench.clock.advance(299_999);
  press();
  expect(await count(2)).toBe(2);
  bench.clock.advance(1);
  window.dispatchEvent(new Event('pointerdown'));
  expect(await count(3)).toBe(3);
  window_.unmount();
});
