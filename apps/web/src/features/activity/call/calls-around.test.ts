import { flushPromises, mount } from '@vue/test-utils';
import { afterEach, expect, it } from 'vitest';
import { setBench, type Bench } from '../../../../test/mounting.ts';
import { router } from '../../../../test/router.ts';
import { callOf } from '../../../../test/worlds.ts';
import CallsAround from './calls-around.vue';

let bench: Bench;
let close = () => {};
afterEach(async () => {
  close();
  await bench.close();
});

const made = (requestId: string, second: number) =>
  callOf({ requestId, subject: `${requestId}.txt`, createdAt: `2026-01-01T00:00:0${second}.000Z` });
const calls = [made('newest', 5), made('middle', 3), made('oldest', 2)];

const open = async (requestId: string, known = calls) => {
  bench = await setBench({ calls: known });
  const call = calls.find((one) => one.requestId === requestId) ?? null;
  const strip = mount(CallsAround, {
    props: { requestId, call },
    global: bench.global,
    attachTo: document.body,
  });
  close = () => strip.unmount();
  await expect.poll(() => strip.findAll('a').length > 0 || !strip.find('nav').exists()).toBe(true);
  return strip;
};
const press = async (key: string) => {
  dispatchEvent(new KeyboardEvent('keydown', { key, cancelable: true }));
  await flushPromises();
  await router.isReady();
};

it('names what ran before the call and after it, and leads there by links and keys', async () => {
  const strip = await open('middle');
  expect(strip.find('[data-test=call-before]').text()).toMatch(/oldest\.txt.*1 s before/);
  expect(strip.find('[data-test=call-after]').text()).toMatch(/newest\.txt.*2 s after/);
  await press('[');
  await expect.poll(() => router.currentRoute.value.path).toBe('/activity/oldest');
  await press(']');
  await expect.poll(() => router.currentRoute.value.path).toBe('/activity/newest');
});

it('says where the calls end, and its key leads nowhere then', async () => {
  const strip = await open('newest');
  const before = router.currentRoute.value.path;
  expect(strip.text()).toContain('The newest call');
  await press(']');
  expect(router.currentRoute.value.path).toBe(before);
});

it('is no row where no other call is known', async () => {
  const strip = await open('middle', [made('middle', 3)]);
  expect(strip.find('nav').exists()).toBe(false);
});
