import {
  defaultLanePolicy,
  laneModes,
  type LaneMode,
  type LanePolicy,
} from '@drawbridge/contracts/agent/lanes';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type LaneEffect,
  type LaneEvent,
  type LaneItem,
  type LaneState,
  nextItems,
  nextLane,
} from './next-lane.ts';

const item = (id: string, mode: LaneMode = 'followup', changes: Partial<LaneItem> = {}): LaneItem => ({
  id,
  mode,
  sender: 'person',
  channel: 'ws',
  at: 0,
  isHeld: false,
  ...changes,
});

const emptyLane: LaneState = { run: null, waiting: [], endedAt: null, droppedCount: 0 };

/** A lane whose run R is open. */
const busy = (...waiting: LaneItem[]): LaneState => ({
  ...emptyLane,
  run: { id: 'R', sender: 'person', startedBy: 'a', joined: [], isCancelling: false },
  waiting,
});

const facts = (policy: Partial<LanePolicy> = {}, now = 0) => ({
  now,
  policy: { ...defaultLanePolicy, ...policy },
});
const ids = (items: readonly LaneItem[]) => items.map(({ id }) => id).join();

/** An effect in few words. */
const word = (effect: LaneEffect): string => {
  switch (effect.type) {
    case 'wait':
      return `wait ${effect.item.id}`;
    case 'start':
    case 'steer':
      return `${effect.type} ${ids(effect.items)}`;
    case 'settle':
      return `${effect.id} ${effect.outcome}`;
    case 'cancelRun':
      return effect.cause;
    case 'schedule':
      return `schedule ${effect.at}`;
    case 'hold':
      return effect.isHeld ? 'hold' : 'release';
    case 'moveToFront':
      return `first ${effect.id}`;
    case 'acquireSlot':
      return 'acquireSlot';
    default:
      return effect satisfies never;
  }
};
const words = (state: LaneState, event: LaneEvent, given = facts()) =>
  nextLane(state, event, given).effects.map(word);
const arrived = (one: LaneItem, isRefusedWhenBusy = false): LaneEvent => ({
  type: 'arrived',
  item: one,
  isRefusedWhenBusy,
});

describe('a message that comes while a run is open', () => {
  it.each<[string, LaneState, LaneItem, Partial<LanePolicy>, string[]]>([
    ['waits', busy(), item('n'), {}, ['wait n']],
    ['steers with what waits', busy(item('w')), item('n', 'steer'), {}, ['steer w,n']],
    ['leaves what waits', busy(item('w')), item('n', 'steer_backlog'), {}, ['steer n']],
    [
      'leaves what Stop holds',
      busy(item('w', 'followup', { isHeld: true })),
      item('n', 'steer'),
      {},
      ['steer n'],
    ],
    ['interrupts', busy(item('w')), item('n', 'interrupt'), {}, ['w superseded', 'wait n', 'preempted']],
    ['is refused at the cap', busy(item('w')), item('n'), { cap: 1 }, ['n overflow']],
    [
      'drops the oldest',
      busy(item('w')),
      item('n'),
      { cap: 1, overflow: 'drop_old' },
      ['w overflow', 'wait n'],
    ],
    ['drops none but itself', busy(), item('n'), { cap: 0, overflow: 'drop_old' }, ['n overflow']],
    ['interrupts whatever the cap', busy(), item('n', 'interrupt'), { cap: 0 }, ['wait n', 'preempted']],
    ['of another sender never steers', busy(), item('n', 'steer', { sender: 'token:1' }), {}, ['wait n']],
    [
      'steers without messages of another sender',
      busy(item('w', 'followup', { sender: 'token:1' })),
      item('n', 'steer'),
      {},
      ['steer n'],
    ],
  ])('%s', (_, state, one, policy, expected) => {
    expect(words(state, arrived(one), facts(policy))).toEqual(expected);
  });

  it('waits for a run that is being cancelled, also where it would steer or interrupt', () => {
    const { run } = busy();
    const cancelling = { ...busy(), run: run && { ...run, isCancelling: true } };
    for (const mode of laneModes) expect(words(cancelling, arrived(item('n', mode)))).toEqual(['wait n']);
  });

  it('is refused where its sender does not want to wait', () => {
    expect(words(busy(), arrived(item('n'), true))).toEqual(['n busy']);
    expect(words(emptyLane, arrived(item('n'), true))).toEqual(['wait n', 'acquireSlot']);
  });
});

describe('the end of a run', () => {
  const end: LaneEvent = { type: 'ended' };
  it('ends its requests, and the next message runs', () => {
    expect(words(busy(item('w')), end)).toEqual(['a ended', 'acquireSlot']);
  });

  it('collects one stretch of one sender and one channel, once it is quiet', () => {
    const collected = [
      item('b', 'collect', { at: 900 }),
      item('c', 'collect', { at: 950 }),
      item('d', 'collect', { channel: 'telegram' }),
      item('e', 'collect'),
    ];
    const { state, effects } = nextLane(busy(...collected), end, facts({}, 1_000));
    expect(effects.map(word)).toEqual(['a ended', 'schedule 1500']);
    expect(words(state, { type: 'checked' }, facts({}, 1_499))).toEqual(['schedule 1500']);
    expect(words(state, { type: 'slotAcquired', runId: 'S' }, facts({}, 1_500))).toEqual(['start b,c']);
  });

  it('waits for quiet no longer than 5 s', () => {
    const late = { ...emptyLane, endedAt: 1_000, waiting: [item('b', 'collect', { at: 5_900 })] };
    expect(words(late, { type: 'checked' }, facts({}, 5_900))).toEqual(['schedule 6000']);
    expect(words(late, { type: 'checked' }, facts({}, 6_000))).toEqual(['acquireSlot']);
    expect(words(late, arrived(item('n', 'interrupt')), facts({}, 5_900))).toEqual([
      'b superseded',
      'wait n',
      'acquireSlot',
    ]);
  });

  it('resets the count of dropped messages once the lane is empty', () => {
    const full = { ...busy(item('w')), droppedCount: 3 };
    expect(nextLane(full, end, facts()).state.droppedCount).toBe(3);
    expect(nextLane({ ...full, waiting: [] }, end, facts()).state.droppedCount).toBe(0);
  });
});

describe('a cancellation', () => {
  const withJoined = { ...busy(item('w')), run: { ...busy().run!, joined: ['r'] } };
  it.each<[string, Extract<LaneEvent, { type: 'cancelAsked' }>['what'], string[]]>([
    ['of everything ends what waits first', 'all', ['w cancelled', 'cancelled']],
    ['by Stop holds what waits', 'stop', ['hold', 'cancelled']],
    ['of a waiting request leaves the run', { request: 'w' }, ['w cancelled']],
    ['of a request that joined leaves the run', { request: 'r' }, ['r cancelled']],
    ['of the request that started it cancels the run', { request: 'a' }, ['cancelled']],
    ['of an unknown request is nothing', { request: 'x' }, []],
  ])('%s', (_, what, expected) => {
    expect(words(withJoined, { type: 'cancelAsked', what })).toEqual(expected);
  });
});

describe('what Stop holds', () => {
  const held = { ...emptyLane, waiting: [item('w', 'followup', { isHeld: true })] };
  it('stays while another message runs, until it is resumed', () => {
    const { state, effects } = nextLane(held, arrived(item('n')), facts());
    expect(effects.map(word)).toEqual(['wait n', 'acquireSlot']);
    expect(nextItems(state).map(({ id }) => id)).toEqual(['n']);
    expect(words(held, { type: 'resumed' })).toEqual(['release', 'acquireSlot']);
  });

  it('runs or steers when it is sent at once', () => {
    expect(words(held, { type: 'sentNow', id: 'w' })).toEqual(['first w', 'acquireSlot']);
    expect(words(busy(...held.waiting), { type: 'sentNow', id: 'w' })).toEqual(['steer w']);
  });
});

type Act =
  | { do: 'send'; mode: LaneMode; sender: string; refused: boolean }
  | { do: 'end' | 'slot' | 'stop' | 'cancel' | 'resume' }
  | { do: 'sendNow' | 'leave'; pick: number }
  | { do: 'time'; ms: number };

const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('send' as const),
      mode: fc.constantFrom(...laneModes),
      sender: fc.constantFrom('person', 'person', 'token:1'),
      refused: fc.boolean(),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom('end' as const, 'slot' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constantFrom('stop' as const, 'cancel' as const, 'resume' as const) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constantFrom('sendNow' as const, 'leave' as const), pick: fc.nat(60) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('time' as const), ms: fc.integer({ min: 0, max: 2_000 }) }),
  },
);
const policies = fc.record({
  cap: fc.integer({ min: 0, max: 4 }),
  overflow: fc.constantFrom('drop_new' as const, 'drop_old' as const),
  debounceMs: fc.constantFrom(0, 500),
});

/** Plays a history, with what must hold after each transition; returns the requests in the order they ran. */
const play = (acts: readonly Act[], policy: Partial<LanePolicy>) => {
  let state = emptyLane;
  let now = 0;
  let sent = 0;
  const senders = new Map<string, string>();
  const settled = new Map<string, string>();
  const moved = new Set<string>();
  const started: string[] = [];
  let isAwaited = false;

  const check = (before: LaneState, effects: readonly LaneEffect[]) => {
    for (const effect of effects) {
      if (effect.type === 'settle') {
        expect(settled.has(effect.id)).toBe(false);
        settled.set(effect.id, effect.outcome);
      }
      if (effect.type === 'start') {
        expect(before.run).toBeNull();
        started.push(...effect.items.map(({ id }) => id));
      }
      if (effect.type === 'start' || effect.type === 'steer')
        expect(new Set(effect.items.map(({ sender }) => sender)).size).toBe(1);
      if (effect.type === 'steer')
        for (const { id, sender } of effect.items) {
          expect(sender).toBe(before.run?.sender);
          moved.add(id);
        }
    }
    isAwaited = effects.some(({ type }) => type === 'acquireSlot' || type === 'schedule');
    // Nothing that may run is forgotten.
    if (state.run === null && nextItems(state).length > 0) expect(isAwaited).toBe(true);
  };
  const post = (event: LaneEvent) => {
    const before = state;
    const next = nextLane(state, event, facts(policy, now));
    state = next.state;
    check(before, next.effects);
  };
  const idOf = (pick: number) => `m${pick % Math.max(1, sent)}`;
  const perform = (one: Act) => {
    switch (one.do) {
      case 'send': {
        const id = `m${sent}`;
        sent += 1;
        senders.set(id, one.sender);
        return post(arrived(item(id, one.mode, { sender: one.sender, at: now }), one.refused));
      }
      case 'slot':
        return post({ type: 'slotAcquired', runId: `run ${now} ${sent}` });
      case 'end':
        return post({ type: 'ended' });
      case 'stop':
        for (const { id } of state.waiting) moved.add(id);
        return post({ type: 'cancelAsked', what: 'stop' });
      case 'cancel':
        return post({ type: 'cancelAsked', what: 'all' });
      case 'resume':
        return post({ type: 'resumed' });
      case 'sendNow':
        moved.add(idOf(one.pick));
        return post({ type: 'sentNow', id: idOf(one.pick) });
      case 'leave':
        return post({ type: 'cancelAsked', what: { request: idOf(one.pick) } });
      case 'time':
        now += one.ms;
        return post({ type: 'checked' });
      default:
        return one satisfies never;
    }
  };
  for (const one of acts) perform(one);
  // Let everything end.
  perform({ do: 'resume' });
  for (let round = 0; round < 200 && (state.run !== null || state.waiting.length > 0); round += 1)
    for (const last of ['end', 'time', 'slot'] as const)
      perform(last === 'time' ? { do: last, ms: 5_000 } : { do: last });
  return { settled, sent, started: started.filter((id) => !moved.has(id)), state };
};

it('each request ends once, runs start in order and one at a time, and nothing is stuck: 4,000 histories', () => {
  fc.assert(
    fc.property(fc.array(act, { maxLength: 60 }), policies, (acts, policy) => {
      const { settled, sent, started, state } = play(acts, policy);
      expect([state.run, state.waiting, settled.size]).toEqual([null, [], sent]);
      const order = started.map((id) => Number(id.slice(1)));
      expect(order).toEqual(order.toSorted((a, b) => a - b));
    }),
    { numRuns: 4_000 },
  );
});
