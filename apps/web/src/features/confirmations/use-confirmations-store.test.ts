import { errorTable } from '@drawbridge/contracts';
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
const ids = (list: readonly { id: string }[]) => list.map(({ id }) => id);

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

it('says what closed while the panel was away', async () => {
  bench = await setBench({ confirmations: [first, second] });
  const store = useConfirmationsStore();
  await store.load();
  bench.fixture.world.confirmations = [second];
  await store.load();
  expect([ids(store.open), store.closed]).toEqual([
    ['b'],
    [{ id: 'a', tool: 'write_file', text: 'No longer open', approved: false }],
  ]);
});

it('does not show what closed before it was ever seen', async () => {
  bench = await setBench();
  const store = useConfirmationsStore();
  store.onConfirmation(event({ ...first, state: 'expired' }));
  expect([ids(store.open), ids(store.closed)]).toEqual([[], []]);
});

it.each([
  ['allowOnce', { approved: true, resourceDecision: 'allowOnce' }, 'Allowed once'],
  ['alwaysDeny', { approved: false, resourceDecision: 'alwaysDeny' }, 'Always denied'],
] as const)('answers %s and shows the decision that won', async (decision, sent, text) => {
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
  await store.decide(first, { decision });
  expect(heard).toEqual([{ confirmationId: 'a', ...sent }]);
  expect([ids(store.open), store.closed]).toEqual([
    [],
    [{ id: 'a', tool: 'write_file', text, approved: sent.approved }],
  ]);
  bench.clock.advance(5_000);
  expect(store.closed).toEqual([]);
});

it.each([
  [{ state: 'decided', approved: true, decision: 'alwaysAllow' }, 'Always allowed, in another window'],
  [{ state: 'decided', approved: false, decision: null }, 'Denied, in another window'],
  [{ state: 'withdrawn' }, 'Withdrawn: the call was stopped'],
  [{ state: 'expired' }, 'Expired: denied'],
] as const)('says what happened elsewhere: %j', async (change, text) => {
  bench = await setBench({ confirmations: [first] });
  const store = useConfirmationsStore();
  await store.load();
  store.onConfirmation(event({ ...first, ...change }));
  expect(store.closed.map((note) => note.text)).toEqual([text]);
  bench.clock.advance(59_999);
  expect(store.closed.length).toBe(1);
  bench.clock.advance(1);
  expect(store.closed).toEqual([]);
});

const refusing = (code: string) => () => {
  bench.fixture.world.confirmations = [];
  const cause = new Error('no');
  cause.name = code;
  throw new TRPCError({ code: 'CONFLICT', message: 'no', cause });
};
const decided = { ...first, state: 'decided', approved: true, decision: 'alwaysAllow' } as const;

it.each([
  ['ALREADY_DECIDED', 'Answered already, elsewhere. Your click did nothing'],
  ['CONFIRMATION_CLOSED', 'No longer open. Your click did nothing'],
])('on %s says so and drops the question', async (code, text) => {
  bench = await setBench({ confirmations: [first], decide: refusing(code) });
  const store = useConfirmationsStore();
  await store.load();
  await store.decide(first, { decision: 'denyOnce' });
  expect([ids(store.open), store.closed.map((note) => note.text), store.failures]).toEqual([[], [text], {}]);
});

it.each([
  ['ALREADY_DECIDED', decided, 'Always allowed. Your click did nothing'],
  [
    'CONFIRMATION_CLOSED',
    { ...first, state: 'withdrawn' },
    'Withdrawn: the call was stopped. Your click did nothing',
  ],
  ['CONFIRMATION_CLOSED', { ...first, state: 'expired' }, 'Expired: denied. Your click did nothing'],
] as const)('on %s says what became of it', async (code, after, text) => {
  bench = await setBench({ confirmations: [first], decide: refusing(code) });
  const store = useConfirmationsStore();
  await store.load();
  const clicked = store.decide(first, { decision: 'denyOnce' });
  store.onConfirmation(event(after));
  await clicked;
  expect(store.closed.map((note) => note.text)).toEqual([text]);
});

it('says it also when the live event comes after the refusal', async () => {
  bench = await setBench({ confirmations: [first], decide: refusing('ALREADY_DECIDED') });
  const store = useConfirmationsStore();
  await store.load();
  await store.decide(first, { decision: 'denyOnce' });
  store.onConfirmation(event(decided));
  expect([ids(store.open), store.closed.map((note) => note.text)]).toEqual([
    [],
    ['Always allowed. Your click did nothing'],
  ]);
});

it('keeps the question when the server cannot write its answer down, and says why', async () => {
  bench = await setBench({
    confirmations: [first],
    decide: () => {
      const cause = new Error('no');
      cause.name = 'STORE_UNAVAILABLE';
      const { message } = errorTable.storeUnavailable;
      throw new TRPCError({ code: 'SERVICE_UNAVAILABLE', message, cause });
    },
  });
  const store = useConfirmationsStore();
  await store.load();
  await store.decide(first, { decision: 'allowOnce' });
  expect([ids(store.open), store.failures['a']?.message]).toEqual([
    ['a'],
    'The server cannot write to its store',
  ]);
});
