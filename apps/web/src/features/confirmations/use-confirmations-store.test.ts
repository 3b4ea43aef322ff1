import { TRPCError } from '@trpc/server';
import { afterEach, expect, it } from 'vitest';
import { setBench, type Bench } from '../../../test/mounting.ts';
import { confirmationOf } from '../../../test/worlds.ts';
import { useConfirmationsStore } from './use-confirmations-store.ts';

let bench: Bench;
afterEach(() => bench.close());

const asked = (id: string, createdAt: string) => confirmationOf({ id, createdAt });
const first = asked('a', '2026-01-01T00:00:01.000Z');
const second = asked('b', '2026-01-01T00:00:02.000Z');
const event = (confirmation: typeof first) => ({ type: 'confirmation' as const, confirmation });
const ids = (list: { id: string }[]) => list.map(({ id }) => id);

it('keeps open ones, the oldest first, and moves one that closes out of them', async () => {
  bench = await setBench();
  const store = useConfirmationsStore();
  store.onConfirmation(event(second));
  store.onConfirmation(event(first));
  expect(ids(store.open)).toEqual(['a', 'b']);
  store.onConfirmation(event({ ...first, state: 'withdrawn' }));
  expect([ids(store.open), ids(store.closed)]).toEqual([['b'], ['a']]);
});

it('does not open again what has been answered', async () => {
  bench = await setBench({ confirmations: [first] });
  const store = useConfirmationsStore();
  await store.load();
  store.onConfirmation(event({ ...first, state: 'decided', approved: true, decision: 'allowOnce' }));
  await store.load();
  store.onConfirmation(event(first));
  expect(ids(store.open)).toEqual([]);
});

it('drops what closed while the panel was away', async () => {
  bench = await setBench({ confirmations: [first, second] });
  const store = useConfirmationsStore();
  await store.load();
  bench.fixture.world.confirmations = [second];
  await store.load();
  expect(ids(store.open)).toEqual(['b']);
});

it('does not show what closed before it was ever seen', async () => {
  bench = await setBench();
  const store = useConfirmationsStore();
  store.onConfirmation(event({ ...first, state: 'expired' }));
  expect([ids(store.open), ids(store.closed)]).toEqual([[], []]);
});

it.each([
  ['allowOnce', { approved: true, resourceDecision: 'allowOnce' }],
  ['alwaysDeny', { approved: false, resourceDecision: 'alwaysDeny' }],
] as const)('answers %s and shows the decision that won', async (decision, sent) => {
  const heard: unknown[] = [];
  bench = await setBench({
    confirmations: [first],
    decide: (input) => {
      heard.push(input);
      return { confirmationId: 'a', state: 'decided', approved: sent.approved, decision };
    },
  });
  const store = useConfirmationsStore();
  await store.load();
  await store.decide(first, decision);
  expect(heard).toEqual([{ confirmationId: 'a', ...sent }]);
  expect([ids(store.open), store.closed.map((closed) => [closed.id, closed.decision])]).toEqual([[], [['a', decision]]]);
});

it.each(['ALREADY_DECIDED', 'CONFIRMATION_CLOSED'])('on %s drops the question that is no longer open', async (code) => {
  bench = await setBench({
    confirmations: [first],
    decide: () => {
      bench.fixture.world.confirmations = [];
      const cause = new Error('no');
      cause.name = code;
      throw new TRPCError({ code: 'CONFLICT', message: 'This confirmation is no longer open', cause });
    },
  });
  const store = useConfirmationsStore();
  await store.load();
  await store.decide(first, 'allowOnce');
  expect(ids(store.open)).toEqual([]);
  expect(store.failures['a']).toEqual({ code, message: 'This confirmation is no longer open', fix: null });
});
