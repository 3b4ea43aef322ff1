import { nextMacrotask, type Clock } from './clock.ts';

/** A clock that a test advances. */
export interface FakeClock extends Clock {
  /** Advances time and runs due timers in order. */
  advance(ms: number): void;
  /** Advances time in one step, like a machine that slept: each due timer runs once, at the end. */
  jump(ms: number): void;
  /** Like `advance`, letting promises settle before, between and after. */
  settle(ms?: number): Promise<void>;
  /** The number of pending timers. */
  waiting(): number;
}

interface Timer {
  dueAt: number;
  everyMs: number | null;
  run: () => void;
}

/** Chains of promises and macrotasks need a few turns. */
const settlingTurns = 4;

const turnAround = async () => {
  for (let turn = 0; turn < settlingTurns; turn += 1) await nextMacrotask();
};

/**
 * Starts at `startMs` (default: 2026-01-01T00:00:00Z). `idle` waits for what no turn of the event loop ends,
 * and is asked again until it gives false: nothing was there.
 */
export const createFakeClock = (
  startMs = Date.UTC(2026, 0, 1),
  idle: () => Promise<boolean> = async () => false,
): FakeClock => {
  const settlePromises = async () => {
    do await turnAround();
    while (await idle());
  };
  let nowMs = startMs;
  const timers = new Set<Timer>();

  const add = (timer: Timer) => {
    timers.add(timer);
    return () => void timers.delete(timer);
  };

  const nextDue = (untilMs: number) => {
    let next: Timer | undefined;
    for (const timer of timers) {
      if (timer.dueAt <= untilMs && (!next || timer.dueAt < next.dueAt)) next = timer;
    }
    return next;
  };

  const fire = (timer: Timer) => {
    nowMs = Math.max(nowMs, timer.dueAt);
    if (timer.everyMs === null) timers.delete(timer);
    else timer.dueAt += timer.everyMs;
    timer.run();
  };

  return {
    now: () => nowMs,
    after: (ms, run) => add({ dueAt: nowMs + Math.max(0, ms), everyMs: null, run }),
    every: (ms, run) => add({ dueAt: nowMs + ms, everyMs: Math.max(1, ms), run }),
    advance: (ms) => {
      const untilMs = nowMs + ms;
      for (let timer = nextDue(untilMs); timer; timer = nextDue(untilMs)) fire(timer);
      nowMs = untilMs;
    },
    jump: (ms) => {
      nowMs += ms;
      const due = [...timers].filter(({ dueAt }) => dueAt <= nowMs);
      for (const timer of due.toSorted((a, b) => a.dueAt - b.dueAt)) {
        if (!timers.has(timer)) continue;
        timer.dueAt = nowMs;
        fire(timer);
      }
    },
    settle: async (ms = 0) => {
      const untilMs = nowMs + ms;
      await settlePromises();
      for (let timer = nextDue(untilMs); timer; timer = nextDue(untilMs)) {
        fire(timer);
        await settlePromises();
      }
      nowMs = untilMs;
      await settlePromises();
    },
    waiting: () => timers.size,
  };
};
