import { maxKnownQuestions } from '@drawbridge/contracts/confirmation';
import { errorTable } from '@drawbridge/contracts/errors';
import { TRPCError } from '@trpc/server';
import { afterEach, describe, expect, it } from 'vitest';
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

it('does not open what closed before it was ever seen, or while the panel was away', async () => {
  bench = await setBench({ confirmations: [first] });
  const store = useConfirmationsStore();
  await store.load();
  store.onConfirmation(event({ ...second, state: 'decided' }));
  store.onConfirmation(event(second));
  bench.fixture.world.confirmations = [];
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
    [expect.objectContaining({ id: 'a', text: 'No longer open', approved: false, made: null })],
  ]);
});

it('sees the end of more questions than it can name', async () => {
  const many = Array.from({ length: maxKnownQuestions + 2 }, (_, at) =>
    asked(`q${String(at).padStart(3, '0')}`, '2026-01-01T00:00:01.000Z'),
  );
  bench = await setBench({ confirmations: many });
  const store = useConfirmationsStore();
  await Promise.all([store.load(), store.load()]);
  expect(store.open).toHaveLength(many.length);
  const left = many.filter((_, at) => at > 0 && at < many.length - 1);
  bench.fixture.world.confirmations = left;
  await store.load();
  expect(ids(store.open)).toEqual(ids(left));
});

it('does not show what closed before it was ever seen', async () => {
  bench = await setBench();
  const store = useConfirmationsStore();
  store.onConfirmation(event({ ...first, state: 'expired' }));
  expect([ids(store.open), ids(store.closed)]).toEqual([[], []]);
});

it.each([
  ['allowOnce', { approved: true, resourceDecision: 'allowOnce' }, 'Allowed'],
  ['alwaysDeny', { approved: false, resourceDecision: 'alwaysDeny' }, 'Never allowed'],
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
    [expect.objectContaining({ id: 'a', text, approved: sent.approved, at: null })],
  ]);
  // An allowed change can be undone: its note stays longer.
  const changed = sent.approved ? { machineId: 'm1', calls: ['r1'] } : null;
  expect(store.closed[0]?.changed).toEqual(changed);
  bench.clock.advance(changed ? 30_000 : 5_000);
  expect(store.closed).toEqual([]);
});

it.each([
  [
    { state: 'decided', approved: true, decision: 'alwaysAllow' },
    'Already allowed permanently in another window or on another device',
  ],
  [
    { state: 'decided', approved: false, decision: null },
    'Already denied in another window or on another device',
  ],
  [{ state: 'withdrawn' }, 'Withdrawn: the call ended'],
  [{ state: 'expired' }, 'Expired and denied'],
] as const)('says what happened elsewhere, where the question stood: %j', async (change, text) => {
  bench = await setBench({ confirmations: [first, second] });
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
  ['ALREADY_DECIDED', 'Already answered in another window or on another device. Your answer had no effect'],
  ['CONFIRMATION_CLOSED', 'No longer open. Your answer had no effect'],
])('on %s says so and drops the question', async (code, text) => {
  bench = await setBench({ confirmations: [first], decide: refusing(code) });
  const store = useConfirmationsStore();
  await store.load();
  await store.decide(first, { decision: 'denyOnce' });
  expect([ids(store.open), store.closed.map((note) => note.text), store.failures]).toEqual([[], [text], {}]);
});

it.each([
  [
    'ALREADY_DECIDED',
    decided,
    'Already allowed permanently in another window or on another device. Your answer had no effect',
  ],
  [
    'CONFIRMATION_CLOSED',
    { ...first, state: 'withdrawn' },
    'Withdrawn: the call ended. Your answer had no effect',
  ],
  ['CONFIRMATION_CLOSED', { ...first, state: 'expired' }, 'Expired and denied. Your answer had no effect'],
] as const)('on %s says how it ended', async (code, after, text) => {
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
    ['Already allowed permanently in another window or on another device. Your answer had no effect'],
  ]);
});

it('names the questions that an answer settled beside its own, in one note', async () => {
  const others = ['b', 'c', 'd'].map((id) => asked(id, first.createdAt));
  bench = await setBench({
    confirmations: [first, ...others],
    decide: () => ({ confirmationId: 'a', state: 'decided', approved: true, decision: 'alwaysAllow' }),
  });
  const store = useConfirmationsStore();
  await store.load();
  await store.decide(first, { decision: 'alwaysAllow' });
  const settled = { state: 'decided', approved: true, decision: 'allowOnce', settledBy: 'a' } as const;
  for (const other of others) store.onConfirmation(event({ ...other, ...settled }));
  expect([ids(store.open), store.closed.map((note) => note.text)]).toEqual([
    [],
    ['This answer also allowed 3 other questions', 'Always allowed'],
  ]);
  expect(store.closed[0]).toMatchObject({
    title: 'Change a.txt?, Change a.txt? and 1 more',
    settled: others.map(({ id }) => ({ id, title: 'Change a.txt?' })),
  });
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

describe('undo of a lasting answer', () => {
  const reach = {
    scope: 'exact',
    label: 'write a',
    decisions: ['allowForSession', 'alwaysAllow'],
    covers: ['k'],
  };
  const question = {
    ...first,
    reaches: [
      { ...reach, id: 'exact' },
      { ...reach, id: 'short', durationMs: 900_000 },
    ],
  };
  const rule = {
    effect: 'allow' as const,
    toolGroup: 'filesystemWrite',
    label: 'write a',
    covers: 'k',
    lasts: 'always' as const,
    endsAt: null,
    madeAt: null,
    usedAt: null,
  };
  const rules = [
    { ...rule, id: 'always' },
    { ...rule, id: 'session', lasts: 'session' as const },
    { ...rule, id: 'short', lasts: 'session' as const, endsAt: '2026-01-01T01:00:00.000Z' },
    { ...rule, id: 'other', covers: 'x' },
    { ...rule, id: 'deny', effect: 'deny' as const },
  ];
  const answered = async (
    choice: Parameters<ReturnType<typeof useConfirmationsStore>['decide']>[1],
    known = rules,
  ) => {
    bench = await setBench({
      confirmations: [question],
      rules: () => ({ rules: known, total: known.length, remoteRules: false }),
    });
    const store = useConfirmationsStore();
    await store.load();
    await store.decide(question, choice);
    return store;
  };
  const undone = async (store: ReturnType<typeof useConfirmationsStore>) => {
    const [note] = store.closed;
    if (note) await store.undo(note);
    return [store.closed[0]?.text, store.closed[0]?.problem, bench.fixture.world.removed];
  };

  it.each([
    ['alwaysAllow', 'exact', 'always'],
    ['allowForSession', 'exact', 'session'],
    ['allowForSession', 'short', 'short'],
  ] as const)('revokes what %s made, and nothing else: %s', async (decision, chosen, id) => {
    const store = await answered({ decision, reach: chosen });
    expect(await undone(store)).toEqual(['Rule revoked. This call keeps its answer', null, [id]]);
    expect(store.closed[0]?.made).toBe(null);
  });

  it.each([
    ['allowForSession', 'short', 'Allowed for 15 minutes: write a'],
    ['allowForSession', 'exact', 'Allowed for this session: write a'],
    ['alwaysAllow', 'exact', 'Always allowed: write a'],
  ] as const)('says for how long: %s, %s', async (decision, chosen, text) => {
    expect((await answered({ decision, reach: chosen })).closed[0]?.text).toBe(text);
  });

  it('says when the machine does not list the rule', async () => {
    const store = await answered({ decision: 'alwaysAllow', reach: 'exact' }, []);
    const undoing = undone(store);
    await expect
      .poll(() => {
        bench.clock.advance(500);
        return store.closed[0]?.problem;
      })
      .toBe('Not undone: the machine does not list this rule.');
    expect((await undoing)[2]).toEqual([]);
  });

  it('is offered for 30 seconds, and for no answer that holds once', async () => {
    const store = await answered({ decision: 'alwaysAllow', reach: 'exact' });
    bench.clock.advance(29_999);
    expect(store.closed.length).toBe(1);
    bench.clock.advance(1);
    expect(store.closed).toEqual([]);
    expect((await answered({ decision: 'allowOnce' })).closed[0]?.made).toBe(null);
  });
});
