import { createFakeClock } from '@drawbridge/kit';
import { createPinia, setActivePinia } from 'pinia';
import { expect, it } from 'vitest';
import { createApp } from 'vue';
import { clockKey } from '../../api/index.ts';
import { useServerStore } from './use-server-store.ts';

const set = () => {
  const clock = createFakeClock();
  const pinia = createPinia();
  createApp({}).use(pinia).provide(clockKey, clock);
  setActivePinia(pinia);
  return { clock, store: useServerStore() };
};

it('shows a lost connection after a delay, and its return at once', () => {
  const { clock, store } = set();
  store.onDown();
  clock.advance(1_499);
  expect(store.away).toBe(false);
  clock.advance(1);
  expect(store.away).toBe(true);
  store.onUp();
  expect(store.away).toBe(false);
});

it('ignores a short interruption', () => {
  const { clock, store } = set();
  store.onDown();
  clock.advance(1_000);
  store.onUp();
  clock.advance(10_000);
  expect([store.away, clock.waiting()]).toEqual([false, 0]);
});

it('shows a second interruption', () => {
  const { clock, store } = set();
  store.onDown();
  store.onUp();
  store.onDown();
  clock.advance(1_500);
  expect(store.away).toBe(true);
});
