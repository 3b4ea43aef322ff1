import type { LaneMode, LanePolicy } from '@drawbridge/contracts/agent/lanes';

/** A message that has not become part of a run. */
export interface LaneItem {
  id: string;
  mode: LaneMode;
  /** Who sent it: messages of two senders never meet in a run. */
  sender: string;
  /** Messages of two channels are not merged. */
  channel: string;
  at: number;
  /** Stop has paused it. */
  isHeld: boolean;
}

export interface LaneRun {
  id: string;
  sender: string;
  /** The request that started it; null for a run without a new message. */
  startedBy: string | null;
  /** Requests that were merged or steered into it. */
  joined: readonly string[];
  isCancelling: boolean;
}

/** The queue of one thread. A run that waits for its person is open as well. */
export interface LaneState {
  run: LaneRun | null;
  /** In the order of arrival. */
  waiting: readonly LaneItem[];
  /** When the newest run ended; null before the first end. */
  endedAt: number | null;
  /** Messages that were refused or dropped since the lane was last empty. */
  droppedCount: number;
}

export type LaneEvent =
  | { type: 'arrived'; item: LaneItem; isRefusedWhenBusy?: boolean }
  /** Time has passed, or something outside of the lane has changed. */
  | { type: 'checked' }
  /** The lane has a slot for a run; `runId` is the id that the run gets. */
  | { type: 'slotAcquired'; runId: string }
  | { type: 'ended' }
  /** `stop`: the run alone, and what waits is held. `request`: one request. */
  | { type: 'cancelAsked'; what: 'all' | 'stop' | { request: string } }
  /** What Stop has held may run. */
  | { type: 'resumed' }
  /** A waiting message is steered into the run, or runs next. */
  | { type: 'sentNow'; id: string };

export type Settlement = 'ended' | 'cancelled' | 'overflow' | 'superseded' | 'busy';

export type LaneEffect =
  | { type: 'wait'; item: LaneItem }
  /** The lane needs a slot for a run; `slotAcquired` follows when it has one. */
  | { type: 'acquireSlot' }
  /** A run of these messages, in their order; the last one counts as the request that started it. */
  | { type: 'start'; runId: string; items: readonly LaneItem[] }
  | { type: 'steer'; runId: string; items: readonly LaneItem[] }
  | { type: 'cancelRun'; runId: string; cause: 'cancelled' | 'preempted' }
  | { type: 'settle'; id: string; outcome: Settlement }
  /** A `checked` event is due at that time. */
  | { type: 'schedule'; at: number }
  | { type: 'hold'; isHeld: boolean }
  /** The message runs before the others that wait. */
  | { type: 'moveToFront'; id: string };

export interface LaneStep {
  state: LaneState;
  effects: LaneEffect[];
}

interface Facts {
  now: number;
  policy: LanePolicy;
}

/** `collect` waits no longer than this after the end of a run, in milliseconds. */
const longestQuietMs = 5_000;

const isReady = ({ isHeld }: LaneItem) => !isHeld;
const step = (state: LaneState, ...effects: LaneEffect[]): LaneStep => ({ state, effects });
const andThen = (first: LaneStep, next: (state: LaneState) => LaneStep): LaneStep => {
  const { state, effects } = next(first.state);
  return { state, effects: [...first.effects, ...effects] };
};
const settle = (ids: readonly string[], outcome: Settlement): LaneEffect[] =>
  ids.map((id) => ({ type: 'settle', id, outcome }));
const without = (state: LaneState, ids: readonly string[]): LaneState => ({
  ...state,
  waiting: state.waiting.filter(({ id }) => !ids.includes(id)),
});

/** The messages of the next run: one, or for `collect` those behind it that belong together. */
export const nextItems = ({ waiting }: LaneState): LaneItem[] => {
  const [head, ...rest] = waiting.filter(isReady);
  if (!head) return [];
  if (head.mode !== 'collect') return [head];
  const fits = ({ mode, sender, channel }: LaneItem) =>
    mode === 'collect' && sender === head.sender && channel === head.channel;
  const end = rest.findIndex((item) => !fits(item));
  return [head, ...(end === -1 ? rest : rest.slice(0, end))];
};

/** When the next messages may run: `collect` waits until nothing has come for a while. */
const readyAt = ({ waiting, endedAt }: LaneState, { debounceMs }: LanePolicy): number => {
  const ready = waiting.filter(isReady);
  if (endedAt === null || ready[0]?.mode !== 'collect') return 0;
  const quietSince = Math.max(endedAt, ...ready.map(({ at }) => at));
  return Math.min(quietSince + debounceMs, endedAt + longestQuietMs);
};

/** Requests what the next run needs; an empty lane resets its count of dropped messages. */
const proceed = (state: LaneState, { now, policy }: Facts): LaneStep => {
  if (state.run !== null) return step(state);
  if (!state.waiting.some(isReady))
    return step(state.waiting.length > 0 ? state : { ...state, droppedCount: 0 });
  const at = readyAt(state, policy);
  return at > now ? step(state, { type: 'schedule', at }) : step(state, { type: 'acquireSlot' });
};

const append = (state: LaneState, item: LaneItem): LaneStep =>
  step({ ...state, waiting: [...state.waiting, item] }, { type: 'wait', item });

/** Puts a message behind the others, within the cap. */
const enqueue = (state: LaneState, item: LaneItem, { cap, overflow }: LanePolicy): LaneStep => {
  if (state.waiting.length < cap) return append(state, item);
  const full = { ...state, droppedCount: state.droppedCount + 1 };
  const oldest = cap > 0 && overflow === 'drop_old' ? state.waiting.find(isReady) : undefined;
  if (!oldest) return step(full, ...settle([item.id], 'overflow'));
  return andThen(step(without(full, [oldest.id]), ...settle([oldest.id], 'overflow')), (next) =>
    append(next, item),
  );
};

const steerInto = (state: LaneState, run: LaneRun, items: readonly LaneItem[]): LaneStep => {
  const ids = items.map(({ id }) => id);
  const joined = [...run.joined, ...ids];
  return step({ ...without(state, ids), run: { ...run, joined } }, { type: 'steer', runId: run.id, items });
};

const cancelRun = (state: LaneState, cause: 'cancelled' | 'preempted'): LaneStep => {
  const { run } = state;
  if (run === null || run.isCancelling) return step(state);
  return step({ ...state, run: { ...run, isCancelling: true } }, { type: 'cancelRun', runId: run.id, cause });
};

const interrupt = (state: LaneState, item: LaneItem): LaneStep => {
  const older = state.waiting.filter(isReady).map(({ id }) => id);
  return andThen(
    andThen(step(without(state, older), ...settle(older, 'superseded')), (next) => append(next, item)),
    (next) => cancelRun(next, 'preempted'),
  );
};

const onBusy = (state: LaneState, item: LaneItem, policy: LanePolicy): LaneStep => {
  const { run } = state;
  const canSteer = run !== null && !run.isCancelling && run.sender === item.sender;
  switch (item.mode) {
    case 'collect':
    case 'followup':
      return enqueue(state, item, policy);
    case 'steer': {
      const before = state.waiting.filter((one) => isReady(one) && one.sender === item.sender);
      return canSteer ? steerInto(state, run, [...before, item]) : enqueue(state, item, policy);
    }
    case 'steer_backlog':
      return canSteer ? steerInto(state, run, [item]) : enqueue(state, item, policy);
    case 'interrupt':
      return interrupt(state, item);
    default:
      return item.mode satisfies never;
  }
};

const onArrived = (
  state: LaneState,
  event: Extract<LaneEvent, { type: 'arrived' }>,
  facts: Facts,
): LaneStep => {
  const { item, isRefusedWhenBusy = false } = event;
  const isBusy = state.run !== null || state.waiting.some(isReady);
  if (isBusy && isRefusedWhenBusy) return step(state, ...settle([item.id], 'busy'));
  return isBusy ? onBusy(state, item, facts.policy) : append(state, item);
};

const onSlotAcquired = (state: LaneState, runId: string, { now, policy }: Facts): LaneStep => {
  const items = nextItems(state);
  const last = items.at(-1);
  if (state.run !== null || !last || readyAt(state, policy) > now) return step(state);
  const ids = items.map(({ id }) => id);
  const run = {
    id: runId,
    sender: last.sender,
    startedBy: last.id,
    joined: ids.slice(0, -1),
    isCancelling: false,
  };
  return step({ ...without(state, ids), run }, { type: 'start', runId, items });
};

const onEnded = (state: LaneState, { now }: Facts): LaneStep => {
  if (state.run === null) return step(state);
  const { startedBy, joined } = state.run;
  const ids = [...(startedBy === null ? [] : [startedBy]), ...joined];
  return step({ ...state, run: null, endedAt: now }, ...settle(ids, 'ended'));
};

const cancelRequest = (state: LaneState, id: string): LaneStep => {
  const { run, waiting } = state;
  if (waiting.some((item) => item.id === id)) return step(without(state, [id]), ...settle([id], 'cancelled'));
  if (run?.startedBy === id) return cancelRun(state, 'cancelled');
  if (!run?.joined.includes(id)) return step(state);
  const joined = run.joined.filter((one) => one !== id);
  return step({ ...state, run: { ...run, joined } }, ...settle([id], 'cancelled'));
};

const onCancelAsked = (
  state: LaneState,
  what: Extract<LaneEvent, { type: 'cancelAsked' }>['what'],
): LaneStep => {
  if (what === 'stop') {
    const held = { ...state, waiting: state.waiting.map((item) => ({ ...item, isHeld: true })) };
    const first = state.waiting.length > 0 ? step(held, { type: 'hold', isHeld: true }) : step(state);
    return andThen(first, (next) => cancelRun(next, 'cancelled'));
  }
  if (what !== 'all') return cancelRequest(state, what.request);
  const ids = state.waiting.map(({ id }) => id);
  return andThen(step({ ...state, waiting: [] }, ...settle(ids, 'cancelled')), (next) =>
    cancelRun(next, 'cancelled'),
  );
};

const onSentNow = (state: LaneState, id: string): LaneStep => {
  const { run, waiting } = state;
  const item = waiting.find((one) => one.id === id);
  if (!item) return step(state);
  if (run !== null && !run.isCancelling && run.sender === item.sender) return steerInto(state, run, [item]);
  const first: LaneItem = { ...item, mode: 'followup', isHeld: false };
  return step({ ...state, waiting: [first, ...without(state, [id]).waiting] }, { type: 'moveToFront', id });
};

const onEvent = (state: LaneState, event: LaneEvent, facts: Facts): LaneStep => {
  switch (event.type) {
    case 'arrived':
      return onArrived(state, event, facts);
    case 'checked':
      return step(state);
    case 'slotAcquired':
      return onSlotAcquired(state, event.runId, facts);
    case 'ended':
      return onEnded(state, facts);
    case 'cancelAsked':
      return onCancelAsked(state, event.what);
    case 'resumed':
      return step(
        { ...state, waiting: state.waiting.map((item) => ({ ...item, isHeld: false })) },
        { type: 'hold', isHeld: false },
      );
    case 'sentNow':
      return onSentNow(state, event.id);
    default:
      return event satisfies never;
  }
};

/** One transition of a lane. Each request gets one `settle`: here, or with the end of its run. */
export const nextLane = (state: LaneState, event: LaneEvent, facts: Facts): LaneStep =>
  andThen(onEvent(state, event, facts), (next) => proceed(next, facts));
