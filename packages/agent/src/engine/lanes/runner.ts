import { createKeyedQueue, createTimer, hasCode, type Timer } from '@drawbridge/kit';
import type { LaneEffect, LaneState } from '../../machines/next-lane.ts';
import { errors } from '../../rows/errors.ts';
import { keyOf, type ThreadKey } from '../../rows/keys.ts';
import { agentLimits } from '../../rows/limits.ts';
import { runOf } from '../../rows/load.ts';
import type { RunRow } from '../../rows/rows.ts';
import { reportEnd } from '../../turns/runtimes/report-end.ts';
import { applyTurn, refuseTooManyWaiting } from '../../turns/lanes/apply.ts';
import { loadLane } from '../../turns/lanes/load-lane.ts';
import { followNews, isWaitingAfter, planTurn } from '../../turns/lanes/plan-turn.ts';
import type { Turn } from '../../turns/lanes/turn.ts';
import type { LaneContext, LaneParts } from './lane-context.ts';
import { createMetrics } from './metrics.ts';
import { createRunSlots } from './run-slots.ts';
import { publishTurn } from './publish.ts';
import { createRequests } from './requests.ts';
import { stopWork } from './stop-lane.ts';

export interface TurnEnd {
  before: LaneState;
  effects: readonly LaneEffect[];
  /** Resolves when the runs that the event cancels have ended, rejects where they go on. */
  stopped: Promise<void>;
}

/** Runs the transitions of lanes, one of a lane at a time. */
export interface LaneRunner {
  /** Throws `notFound` for a thread that is gone. */
  post(key: ThreadKey, turn: Turn): Promise<TurnEnd>;
  /** Runs a job while no transition of the lane does. */
  exclusive<T>(key: ThreadKey, job: (ctx: LaneContext) => Promise<T>): Promise<T>;
  /** Throws `ElsewhereError` while another server drives the thread; so does all that works on a lane. */
  requireOwn(key: ThreadKey): Promise<void>;
  /** Acquires a slot for a run and gives its release; null while too many runs are open. */
  acquireSlot(key: ThreadKey): Promise<(() => void) | null>;
  ended(run: ThreadKey & { runId: string }): void;
  check(key: ThreadKey): void;
  /** A slot may be free. */
  offerSlots(): void;
}

/** How long it waits where the store did not answer. */
const againMs = 1_000;

const gone = { outcome: 'cancelled', runId: null, content: '', isForced: false, isReplayed: false } as const;

/** One try of a transition: null where something else was written meanwhile. */
const tryTurn = async (needs: LaneParts, key: ThreadKey, turn: Turn) => {
  const { ctx, requests, metrics } = needs;
  const lane = await loadLane(ctx, needs, { ...key, ended: turn.ended });
  if (!lane) {
    for (const { requestId } of requests.ofThread(key.userId, key.threadId)) requests.end(requestId, gone);
    throw errors.notFound({ message: 'There is no such thread' });
  }
  const { planned, release } = await planTurn(needs, key, { lane, turn });
  try {
    const isRefused = turn.event.type === 'arrived' && turn.event.isRefusedWhenBusy === true;
    if (isRefused && isWaitingAfter(planned, turn.arrival?.row.id ?? '')) throw errors.tooManyRuns();
    await refuseTooManyWaiting(ctx, planned);
    const { isWritten, effects } = await applyTurn(ctx, planned);
    await ctx.perform(effects);
    if (isWritten) return planned;
    if (planned.effects.some(({ type }) => type === 'steer')) metrics.count(key.userId, 'steerFellBack');
    return null;
  } finally {
    release?.();
  }
};

/** The lanes of all threads at work: who waits, and when it runs. */
export const createLaneRunner = (ctx: LaneContext, own: (key: ThreadKey) => Promise<LaneContext>) => {
  const { clock, onError } = ctx;
  const requests = createRequests(onError);
  const metrics = createMetrics();
  const cancelling: LaneParts['cancelling'] = new Map();
  const queue = createKeyedQueue();
  const timers = new Map<string, Timer>();
  const onSlot = async (key: ThreadKey) => void (await post(key, { event: { type: 'checked' } }));
  const slots = createRunSlots({ ...ctx, onSlot });
  const parts = { requests, metrics, slots, cancelling };

  /** A thread may be deleted meanwhile. */
  const report = (error: unknown) => {
    if (!hasCode(error, 'NOT_FOUND')) onError(error);
  };
  const check = (key: ThreadKey) => void post(key, { event: { type: 'checked' } }).catch(report);

  const schedule = (key: ThreadKey, at: number) => {
    const timer = timers.get(keyOf(key)) ?? createTimer(clock);
    timers.set(keyOf(key), timer);
    timer.start(Math.max(0, at - clock.now()), () => {
      timers.delete(keyOf(key));
      check(key);
    });
  };

  const ended: LaneRunner['ended'] = ({ runId, ...key }) => {
    const endRun = async () => {
      const run = await runOf(ctx, key.userId, runId);
      await post(key, run ? { event: { type: 'ended' }, ended: run } : { event: { type: 'checked' } });
      if (run) await reportEnd(ctx, run);
      slots.offer();
    };
    // Its senders wait, so it is retried, also while this server may no longer drive the thread.
    const isWaitedFor = () =>
      requests
        .ofThread(key.userId, key.threadId)
        .some(({ place }) => place.at === 'run' && place.runId === runId);
    const tryToEnd = () =>
      void endRun().catch((error: unknown) => {
        report(error);
        if (isWaitedFor()) clock.after(againMs, tryToEnd);
      });
    tryToEnd();
  };
  const onReleased = ({ userId, threadId, id: runId }: RunRow) => ended({ userId, threadId, runId });

  const post: LaneRunner['post'] = (key, turn) =>
    queue.run(keyOf(key), async () => {
      const needs: LaneParts = { ...parts, ctx: await own(key) };
      for (let tries = 0; tries < agentLimits.commitTries; tries += 1) {
        const planned = await tryTurn(needs, key, turn);
        if (planned === null) continue;
        const { state, effects, lane } = planned;
        await publishTurn(needs, planned, turn);
        for (const effect of effects) if (effect.type === 'schedule') schedule(key, effect.at);
        await needs.ctx.perform(await followNews(needs, key, { turn, state }));
        const stopped = stopWork(needs, key, { turn, effects, onReleased });
        // Who has asked for it learns of it too: a stop is acknowledged only once it holds.
        stopped.catch(onError);
        return { before: lane.state, effects, stopped };
      }
      throw errors.conflict({ message: 'The lane could not be written' });
    });

  const runner: LaneRunner = {
    post,
    exclusive: (key, job) => queue.run(keyOf(key), async () => job(await own(key))),
    requireOwn: async (key) => void (await own(key)),
    acquireSlot: slots.acquire,
    ended,
    check,
    offerSlots: slots.offer,
  };
  return { runner, requests, metrics };
};
