import { afterEach, expect, it } from 'vitest';
import { setBench, type Bench } from '../../../test/mounting.ts';
import { callOf } from '../../../test/worlds.ts';
import { useCallsStore } from './use-calls-store.ts';

let bench: Bench;
afterEach(() => bench.close());

const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString();
const many = (count: number) =>
  Array.from({ length: count }, (_, place) =>
    callOf({ requestId: `r${count - place}`, createdAt: at(count - place) }),
  );
const ids = (store: ReturnType<typeof useCallsStore>) => store.calls.map(({ requestId }) => requestId);

it('knows the newest calls, newest first, and drops the oldest that have ended', async () => {
  bench = await setBench({ calls: many(70) });
  const store = useCallsStore();
  await store.load();
  expect([ids(store).length, ids(store)[0], ids(store).at(-1)]).toEqual([50, 'r70', 'r21']);
  const running = callOf({ requestId: 'runs', createdAt: at(0), state: 'delivered' });
  store.onCall({ type: 'call', call: running });
  for (const call of many(1_100).reverse()) store.onCall({ type: 'call', call });
  expect([ids(store).length, ids(store)[0], ids(store).at(-1)]).toEqual([1_000, 'r1100', 'runs']);
});

it('tells who watches of each call', async () => {
  bench = await setBench();
  const store = useCallsStore();
  const seen: string[] = [];
  const stop = store.watchCalls(({ requestId }) => seen.push(requestId));
  store.onCall({ type: 'call', call: callOf({ requestId: 'r1' }) });
  stop();
  store.onCall({ type: 'call', call: callOf({ requestId: 'r2' }) });
  expect(seen).toEqual(['r1']);
});

it('puts a new call on top and follows it to its end, from which it does not come back', async () => {
  bench = await setBench({ calls: many(2) });
  const store = useCallsStore();
  await store.load();
  const running = callOf({ requestId: 'r9', createdAt: at(9), state: 'delivered' });
  store.onCall({ type: 'call', call: running });
  store.onCall({ type: 'call', call: { ...running, state: 'cancelled', rev: 2 } });
  store.onCall({ type: 'call', call: running });
  store.onCall({ type: 'call', call: { ...running, rev: 1 } });
  expect(store.calls.map(({ requestId, state }) => [requestId, state])).toEqual([
    ['r9', 'cancelled'],
    ['r2', 'succeeded'],
    ['r1', 'succeeded'],
  ]);
});

const one = { parts: [{ id: 0, text: 'one\n' }], length: 4, cutLength: 0 };
const both = { parts: [{ id: 0, text: 'one\ntwo\n' }], length: 8, cutLength: 0 };

it('joins the output of a running call and forgets it when its result is there', async () => {
  bench = await setBench();
  const store = useCallsStore();
  const running = callOf({ state: 'delivered' });
  store.onCall({ type: 'call', call: running });
  store.onCall({ type: 'progress', requestId: 'r1', output: 'one\n', message: 'working' });
  store.onCall({ type: 'progress', requestId: 'r1', output: 'two\n', progress: 1, total: 2 });
  expect(store.progress).toEqual(
    new Map([['r1', { output: both, message: 'working', progress: 1, total: 2 }]]),
  );
  store.onCall({ type: 'call', call: { ...running, state: 'succeeded' } });
  store.onCall({ type: 'progress', requestId: 'r1', output: 'late\n' });
  expect(store.progress).toEqual(new Map());
});

it.each(['failed', 'cancelled', 'timed-out', 'lost'] as const)(
  'keeps what a call printed that ends as %s',
  async (state) => {
    bench = await setBench();
    const store = useCallsStore();
    store.onCall({ type: 'progress', requestId: 'r1', output: 'one\n' });
    store.onCall({ type: 'call', call: callOf({ state }) });
    store.onCall({ type: 'progress', requestId: 'r1', output: 'late\n' });
    expect(store.progress).toEqual(new Map([['r1', { output: one }]]));
  },
);

it('keeps what the last ten of them printed, and all that runs', async () => {
  bench = await setBench();
  const store = useCallsStore();
  store.onCall({ type: 'progress', requestId: 'runs', output: 'one\n' });
  for (const call of many(12).reverse()) {
    store.onCall({ type: 'progress', requestId: call.requestId, output: 'one\n' });
    store.onCall({ type: 'call', call: { ...call, state: 'lost' } });
  }
  expect([...store.progress.keys()]).toEqual([
    'runs',
    ...many(12)
      .slice(0, 10)
      .map(({ requestId }) => requestId)
      .reverse(),
  ]);
});

it('says why the list is not there', async () => {
  bench = await setBench({ user: null });
  const store = useCallsStore();
  await store.load();
  expect([store.loaded, store.failure]).toEqual([
    false,
    { code: 'UNAUTHORIZED', message: 'Not signed in', fix: null },
  ]);
});

it('shows once what comes twice, and tells it to a window that opens meanwhile', async () => {
  bench = await setBench();
  const store = useCallsStore();
  store.onCall({ type: 'progress', requestId: 'r1', output: 'one\n', outputOffset: 0 });
  store.onCall({
    type: 'progress',
    requestId: 'r1',
    output: 'one\ntwo\n',
    outputOffset: 0,
    message: 'on it',
  });
  store.onCall({ type: 'progress', requestId: 'r2', output: 'no place\n' });
  expect(store.progress.get('r1')).toEqual({ output: both, message: 'on it', isPlaced: true });
  expect(store.recall()).toEqual([
    { type: 'progress', requestId: 'r1', message: 'on it', output: 'one\ntwo\n', outputOffset: 0 },
  ]);
  store.onCall({ type: 'call', call: callOf({ state: 'lost' }) });
  expect(store.recall()).toEqual([]);
});
