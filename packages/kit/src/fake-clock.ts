import { nextMacrotask, type Clock } from './clock.ts';

/** A clock that stands still until a test moves it. */
export interface FakeClock extends Clock {
  /** Moves time on, running what falls due in order. */
  advance(ms: number): void;
  /** Moves time on at once, as on a machine that slept: what falls due runs once, at the end. */
  jump(ms: number): void;
  /** The same, letting promises settle before, between and after. */
  settle(ms?: number): Promise<void>;
  /** How many timers wait. */
  waiting(): number;
}

interface Timer {
  dueAt: number;
  everyMs: number | null;
  run: () => void;
}

/** Work that waits for the end of a turn, and what follows from it, needs a few. */
const settlingTurns = 4;

const settlePromises = async () => {
  for (let turn = 0; turn < settlingTurns; turn += 1) await nextMacrotask();
};

/** Makes a fake clock that starts at `startMs` (default: 2026-01-01T00:00:00Z). */
export const createFakeClock = (startMs = Date.UTC(2026, 0, 1)): FakeClock => {
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
