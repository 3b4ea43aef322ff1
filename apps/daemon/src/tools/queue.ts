import type { ProgressBody, ToolGroup } from '@drawbridge/contracts';
import type { Clock } from '@drawbridge/kit';
import { errors } from './errors.ts';

/** How many calls of a group run at once. */
export const runningLimits: Record<ToolGroup, number> = {
  filesystemRead: 8,
  filesystemWrite: 4,
  shell: 2,
  computer: 1,
  browser: 1,
  mcp: 4,
  system: 1,
};

/** How many calls of all groups may wait for their turn. */
export const maxWaiting = 256;

/** Most waits are over before this: a post for each would cost more than the calls themselves. */
const tellAfterMs = 1_000;
const tellEveryMs = 10_000;

export interface Place {
  group: ToolGroup;
  /** Aborted while it waits, the call leaves the queue and never starts. */
  signal: AbortSignal;
  /** A call that waits says so, which renews its deadline. */
  progress(update: ProgressBody): void;
}

/** Gives the job's place to others while it waits for something else; comes back in turn. */
export type Outside = (wait: () => Promise<void>) => Promise<void>;

/** Runs jobs within the limits, those of one group in the order in which they came. */
export interface Queue {
  /** Rejects with `tooManyCalls`, with the signal's reason, or as the job does. */
  run<T>(place: Place, job: (outside: Outside) => Promise<T>): Promise<T>;
}

export const createQueue = (clock: Clock): Queue => {
  const running = new Map<ToolGroup, number>();
  const waiting = new Map<ToolGroup, Set<() => void>>();
  let waitingCount = 0;

  const isFree = (group: ToolGroup) => (running.get(group) ?? 0) < runningLimits[group];
  const count = (group: ToolGroup, change: 1 | -1) => running.set(group, (running.get(group) ?? 0) + change);

  const beginWaiting = ({ progress }: Place): (() => void) => {
    const tell = () => progress({ message: 'Waits for its turn on the machine' });
    let stopTelling = clock.after(tellAfterMs, () => {
      tell();
      stopTelling = clock.every(tellEveryMs, tell);
    });
    waitingCount += 1;
    return () => {
      waitingCount -= 1;
      stopTelling();
    };
  };

  const waitForTurn = (place: Place): Promise<void> =>
    new Promise((resolve, reject) => {
      const { group, signal } = place;
      const line = waiting.get(group) ?? new Set();
      waiting.set(group, line);
      const endWaiting = beginWaiting(place);
      const leave = () => {
        line.delete(begin);
        endWaiting();
        signal.removeEventListener('abort', giveUp);
      };
      const begin = () => {
        leave();
        count(group, 1);
        resolve();
      };
      const giveUp = () => {
        leave();
        reject(signal.reason);
      };
      signal.addEventListener('abort', giveUp, { once: true });
      line.add(begin);
    });

  const startNext = (group: ToolGroup) => {
    const [begin] = waiting.get(group) ?? [];
    if (begin && isFree(group)) begin();
  };

  return {
    run: async (place, job) => {
      const { group, signal } = place;
      signal.throwIfAborted();
      if (isFree(group)) count(group, 1);
      else if (waitingCount >= maxWaiting) throw errors.tooManyCalls();
      else await waitForTurn(place);
      let isIn = true;
      const leave = () => {
        isIn = false;
        count(group, -1);
        startNext(group);
      };
      const outside: Outside = async (wait) => {
        leave();
        const endWaiting = beginWaiting(place);
        await wait().finally(endWaiting);
        if (isFree(group)) count(group, 1);
        else await waitForTurn(place);
        isIn = true;
      };
      try {
        return await job(outside);
      } finally {
        if (isIn) leave();
      }
    },
  };
};
