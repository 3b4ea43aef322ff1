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
  const store = useServerStore();
  let [responds, reads] = [false, 0];
  const needs = { ping: async () => responds, read: () => void (reads += 1) };
  return {
    clock,
    store,
    down: () => store.onDown(needs),
    respond: (now: boolean) => void (responds = now),
    reads: () => reads,
  };
};

it('shows a lost connection after a delay, and its return at once', async () => {
  const { clock, store, down } = set();
  down();
  await clock.settle(1_499);
  expect(store.away).toBe(false);
  await clock.settle(1);
  expect(store.away).toBe(true);
  store.onUp();
  expect(store.away).toBe(false);
});

it('ignores a short interruption', () => {
  const { clock, store, down } = set();
  down();
  clock.advance(1_000);
  store.onUp();
  clock.advance(10_000);
  expect([store.away, clock.waiting()]).toEqual([false, 0]);
});

it('shows a second interruption', async () => {
  const { clock, store, down } = set();
  down();
  store.onUp();
  down();
  await clock.settle(1_500);
  expect(store.away).toBe(true);
});

it('without the stream, reads the lists after 3 s and then every 5 s, and says when', async () => {
  const { clock, store, down, respond, reads } = set();
  const at = () => store.checkedAt && Date.parse(store.checkedAt);
  const begin = clock.now();
  respond(true);
  down();
  await clock.settle(2_999);
  expect([store.away, at(), reads()]).toEqual([false, null, 0]);
  await clock.settle(1);
  expect([store.away, at(), reads()]).toEqual([false, begin + 3_000, 1]);
  await clock.settle(5_000);
  expect([at(), reads()]).toEqual([begin + 8_000, 2]);
  respond(false);
  await clock.settle(5_000);
  expect([store.away, at(), reads()]).toEqual([true, begin + 8_000, 2]);
  store.onUp();
  expect([store.away, at(), clock.waiting()]).toEqual([false, null, 0]);
});

it('a server that answers late is not away, and its stream has time from the first answer', async () => {
  const { clock, store } = set();
  let reads = 0;
  const ping = () => new Promise<boolean>((done) => void clock.after(2_500, () => done(true)));
  store.onDown({ ping, read: () => void (reads += 1) });
  const seen = new Set<boolean>();
  const pass = async (ms: number) => {
    for (let at = 0; at < ms; at += 500) {
      await clock.settle(500);
      seen.add(store.away);
    }
  };
  await pass(7_500);
  expect([...seen, reads, store.checkedAt]).toEqual([false, 0, null]);
  await pass(500);
  expect([...seen, reads]).toEqual([false, 1]);
});

it('a server that never answers is away', async () => {
  const { clock, store } = set();
  store.onDown({ ping: () => new Promise(() => {}), read: () => {} });
  await clock.settle(20_000);
  expect([store.away, store.checkedAt]).toEqual([true, null]);
});
