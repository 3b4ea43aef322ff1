import type { LanePolicy } from '@drawbridge/contracts/agent/lanes';
import { createKeyedQueue, createTimer, hasCode, type Timer } from '@drawbridge/kit';
import { errors } from '../errors.ts';
import type { RunContext } from '../engine/context.ts';
import { agentLimits } from '../engine/limits.ts';
import { openRunOf, runOf } from '../engine/load.ts';
import type { QueueRow, RunRow } from '../rows.ts';
import { followed } from '../run/after-run.ts';
import { releaseRun, stopRun, stopThread } from '../run/stop.ts';
import { startRun, type NewMessage } from '../run/start-run.ts';
import { steer } from '../run/steer.ts';
import { laneWrites, type Arrival } from './lane-writes.ts';
import { loadLane, type LaneKey, type LoadedLane } from './load-lane.ts';
import type { MetricsRecorder } from './metrics.ts';
import { nextItems, nextLane, type LaneEffect, type LaneEvent, type LaneState } from './next-lane.ts';
import { createPlaces } from './places.ts';
import { policyOf } from './policy.ts';
import { createPublisher, type Cancelling } from './publish.ts';
import type { Requests } from './requests.ts';

export interface Turn {
  event: LaneEvent;
  arrival?: Arrival;
  /** The run whose end is the event. */
  ended?: RunRow;
}

export interface TurnEnd {
  before: LaneState;
  state: LaneState;
  effects: readonly LaneEffect[];
  /** Resolves when the runs that the event cancels have ended. */
  stopped: Promise<void>;
}

/** Runs the transitions of lanes, one of a lane at a time. */
export interface LaneRunner {
  /** Throws `notFound` for a thread that is gone. */
  post(key: LaneKey, turn: Turn): Promise<TurnEnd>;
  /** Runs a job while no transition of the lane does. */
  exclusive<T>(key: LaneKey, job: () => Promise<T>): Promise<T>;
  /** Takes a place for a run; null while too many are open. */
  takePlace(key: LaneKey): Promise<(() => void) | null>;
  ended(run: LaneKey & { runId: string }): void;
  check(key: LaneKey): void;
  freed(): void;
}

interface Needs {
  ctx: RunContext;
  requests: Requests;
  metrics: MetricsRecorder;
}

interface Planned {
  lane: LoadedLane;
  policy: LanePolicy;
  state: LaneState;
  effects: LaneEffect[];
  arrival: Arrival | undefined;
  model: string | null;
}

const keyOf = ({ userId, threadId }: LaneKey) => `${userId} ${threadId}`;

const droppedNote = (texts: readonly string[]): { note?: string } =>
  texts.length === 0
    ? {}
    : {
        note: `[Messages that were dropped because too many waited. Do not act on these:]\n${texts.map((text) => `- ${text}`).join('\n')}`,
      };

const messagesOf = (rows: readonly QueueRow[], arrived: string | undefined): NewMessage[] =>
  rows.map(({ id, text, files }) => ({ id, text, files, source: id === arrived ? 'sent' : 'queued' }));

/** Writes a transition; false if something else was written meanwhile. */
const apply = async (ctx: RunContext, plan: Planned): Promise<boolean> => {
  const { lane, policy, state, effects, arrival, model } = plan;
  const { thread } = lane;
  const writes = laneWrites(lane, arrival, { state, effects, isSummarized: policy.summarizeOverflow });
  const rows = [...lane.queued, ...(arrival ? [arrival.row] : [])];
  const rowsOf = (items: readonly { id: string }[]) =>
    items.flatMap(({ id }) => rows.find((row) => row.id === id) ?? []);
  for (const effect of effects) {
    if (effect.type === 'steer') {
      const run = await openRunOf(ctx, thread.userId, thread.id);
      const messages = messagesOf(rowsOf(effect.items), undefined);
      return run?.id === effect.runId && steer(ctx, run, { messages, writes });
    }
    if (effect.type === 'start' && model !== null) {
      const items = rowsOf(effect.items);
      const last = items.at(-1);
      const run = await startRun(ctx, thread, {
        model,
        runId: effect.runId,
        timeZone: last?.timeZone ?? null,
        sender: last?.sender ?? '',
        groups: last?.groups ?? null,
        messages: messagesOf(items, arrival?.row.id),
        writes,
        ...droppedNote(thread.lane.droppedTexts),
      });
      return run !== null;
    }
  }
  return writes.length === 0 || ctx.store.commit(writes, 'synced');
};

const isWaitingFor = ({ effects }: { effects: readonly LaneEffect[] }, id: string) =>
  effects.some((effect) => effect.type === 'wait' && effect.item.id === id) &&
  !effects.some((effect) => effect.type === 'start' && effect.items.some((item) => item.id === id));

/** Refuses a message that would wait beside too many of the user. Throws `queueFull`. */
const refuseTooManyWaiting = async ({ store }: RunContext, { arrival, effects }: Planned) => {
  if (!arrival || !isWaitingFor({ effects }, arrival.row.id)) return;
  const waiting = await store.find('agentQueue', { userId: arrival.row.userId }, { isLenient: true });
  if (waiting.length >= agentLimits.waitingPerUser)
    throw errors.queueFull({ message: `${agentLimits.waitingPerUser} messages of this user wait` });
};

export const createRunner = ({ ctx, requests, metrics }: Needs): LaneRunner => {
  const { clock, onError } = ctx;
  const queue = createKeyedQueue();
  const timers = new Map<string, Timer>();
  const cancelling = new Map<string, Cancelling>();
  const places = createPlaces({
    ...ctx,
    grant: async (key) => void (await post(key, { event: { type: 'checked' } })),
  });
  const publish = createPublisher({ ctx, requests, metrics, cancelling });

  const arm = (key: LaneKey, at: number) => {
    const timer = timers.get(keyOf(key)) ?? createTimer(clock);
    timers.set(keyOf(key), timer);
    timer.start(Math.max(0, at - clock.now()), () => {
      timers.delete(keyOf(key));
      check(key);
    });
  };

  const load = (key: LaneKey, { ended }: Turn) => loadLane(ctx, { requests, cancelling }, { ...key, ended });

  /** The transition with the place that it asks for; `release` gives the place back when its run is stored. */
  const plan = async (key: LaneKey, lane: LoadedLane, { event, arrival }: Turn) => {
    const settings = await ctx.queueSettings?.();
    const channel = arrival?.row.channel ?? nextItems(lane.state)[0]?.channel ?? '';
    const policy = policyOf({ settings, channel, overrides: lane.thread.lane.overrides });
    const facts = { now: clock.now(), policy };
    const { state, effects } = nextLane(lane.state, event, facts);
    if (lane.hasNewRun) {
      const settled = effects.filter(({ type }) => type === 'settle');
      return {
        planned: { lane, policy, arrival, model: null, state: lane.state, effects: settled },
        release: null,
      };
    }
    const model = effects.some(({ type }) => type === 'claim')
      ? ((await ctx.model.info('main'))?.id ?? null)
      : null;
    const release = model === null ? null : await places.take(key);
    const planned = { lane, policy, arrival, model, state, effects };
    if (release === null) return { planned, release };
    const placed = nextLane(state, { type: 'placed', runId: ctx.newId('run_') }, facts);
    return {
      planned: { ...planned, state: placed.state, effects: [...effects, ...placed.effects] },
      release,
    };
  };

  /** Stops what an event cancels; what does not stop in time is released. */
  const stop = async (key: LaneKey, run: RunRow | undefined, work: Promise<void>): Promise<void> => {
    const isDone = await new Promise<boolean>((resolve) => {
      const cancelTimer = clock.after(agentLimits.forcedMs, () => resolve(false));
      work
        .then(() => resolve(true))
        .catch((error: unknown) => {
          onError(error);
          resolve(false);
        })
        .finally(cancelTimer);
    });
    if (isDone || run === undefined) return;
    const asked = cancelling.get(run.id);
    if (asked) cancelling.set(run.id, { ...asked, isForced: true });
    await releaseRun(ctx, run);
    metrics.count(key.userId, 'forced');
    ended({ ...key, runId: run.id });
  };

  const stopFor = async (
    key: LaneKey,
    { event }: Turn,
    effects: readonly LaneEffect[],
  ): Promise<() => Promise<void>> => {
    const { userId, threadId } = key;
    const effect = effects.find(({ type }) => type === 'cancelRun');
    const isWhole = event.type === 'cancelAsked' && (event.what === 'stop' || event.what === 'all');
    if (effect?.type !== 'cancelRun')
      return isWhole
        ? () => stop(key, undefined, stopThread(ctx, userId, threadId))
        : () => Promise.resolve();
    const run = await runOf(ctx, userId, effect.runId);
    const isAlone = effect.cause === 'preempted';
    return () =>
      stop(key, run, isAlone ? stopRun(ctx, userId, effect.runId) : stopThread(ctx, userId, threadId));
  };

  /** A lane with nothing to run may tell what background work has brought. */
  const follow = async (key: LaneKey, state: LaneState, { event }: Turn) => {
    if (state.run !== null || nextItems(state).length > 0) return;
    if (event.type !== 'checked' && event.type !== 'ended') return;
    const lane = await loadLane(ctx, { requests, cancelling }, key);
    const news = lane && (await followed(ctx, lane.thread));
    const model = await ctx.model.info('main');
    if (!lane || !news || lane.state.run !== null || model === null) return;
    const release = await places.take(key);
    if (release === null) return;
    const { sender, groups } = news;
    await startRun(ctx, lane.thread, {
      model: model.id,
      timeZone: null,
      sender,
      groups,
      messages: [],
    }).finally(release);
  };

  const attempt = async (key: LaneKey, turn: Turn): Promise<TurnEnd | null> => {
    const lane = await load(key, turn);
    if (!lane) {
      const end = {
        outcome: 'cancelled',
        runId: null,
        content: '',
        isForced: false,
        isReplayed: false,
      } as const;
      for (const { requestId } of requests.ofThread(key.userId, key.threadId)) requests.end(requestId, end);
      throw errors.notFound({ message: 'There is no such thread' });
    }
    const { planned, release } = await plan(key, lane, turn);
    const { state, effects } = planned;
    try {
      const isRefused = turn.event.type === 'arrived' && turn.event.isRefusedWhenBusy === true;
      if (isRefused && isWaitingFor(planned, turn.arrival?.row.id ?? '')) throw errors.tooManyRuns();
      await refuseTooManyWaiting(ctx, planned);
      if (!(await apply(ctx, planned))) {
        if (effects.some(({ type }) => type === 'steer')) metrics.count(key.userId, 'steerFellBack');
        return null;
      }
    } finally {
      release?.();
    }
    const stopWork = await stopFor(key, turn, effects);
    await publish(key, turn, planned);
    for (const effect of effects) if (effect.type === 'arm') arm(key, effect.at);
    await follow(key, state, turn);
    const stopped = stopWork().catch(onError);
    return { before: lane.state, state, effects, stopped };
  };

  const post = (key: LaneKey, turn: Turn): Promise<TurnEnd> =>
    queue.run(keyOf(key), async () => {
      for (let tries = 0; tries < agentLimits.commitTries; tries += 1) {
        const end = await attempt(key, turn);
        if (end) return end;
      }
      throw errors.conflict({ message: 'The lane could not be written' });
    });

  /** A thread may be deleted meanwhile. */
  const report = (error: unknown) => {
    if (!hasCode(error, 'NOT_FOUND')) onError(error);
  };
  function check(key: LaneKey) {
    post(key, { event: { type: 'checked' } }).catch(report);
  }
  function ended({ runId, ...key }: LaneKey & { runId: string }) {
    const endRun = async () => {
      const run = await runOf(ctx, key.userId, runId);
      await post(key, run ? { event: { type: 'ended' }, ended: run } : { event: { type: 'checked' } });
      places.freed();
    };
    endRun().catch(report);
  }

  return {
    post,
    exclusive: (key, job) => queue.run(keyOf(key), job),
    takePlace: places.take,
    ended,
    check,
    freed: places.freed,
  };
};
