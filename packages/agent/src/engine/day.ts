import { createKeyedQueue } from '@drawbridge/kit';
import { costOf } from '../memory/usage.ts';
import type { Day, DayEntry } from '../ports/day.ts';
import type { ModelInfo } from '../ports/model.ts';
import type { AgentNeeds } from '../ports/needs.ts';
import { limitsToday } from '../turns/budget.ts';

interface Amount {
  tokens: number;
  costMicro: number;
}

/** What the model calls of a user may use at most while they run. */
interface InFlight extends Amount {
  calls: number;
  ended: PromiseWithResolvers<void>;
}

const newInFlight = (): InFlight => ({ calls: 0, tokens: 0, costMicro: 0, ended: Promise.withResolvers() });

/** The most that one call can use: a full context and a full answer. */
const mostOf = ({ contextTokens, maxOutputTokens, prices }: ModelInfo): Amount => {
  const usage = { inputTokens: contextTokens, outputTokens: maxOutputTokens, cachedTokens: 0 };
  return { tokens: contextTokens + maxOutputTokens, costMicro: costOf(usage, prices) ?? 0 };
};

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });

/**
 * The daily limits, for all model calls of a user on this server. Near a limit, calls that could exceed it
 * together run one after the other, so that the day ends within one call of the limit.
 */
export const createDay = (needs: Pick<AgentNeeds, 'store' | 'clock' | 'config' | 'model'>): Day => {
  const users = new Map<string, InFlight>();
  const inTurn = createKeyedQueue();

  const reserve = (userId: string, most: Amount) => {
    const all = users.get(userId) ?? newInFlight();
    users.set(userId, all);
    const change = (sign: 1 | -1) => {
      all.calls += sign;
      all.tokens += sign * most.tokens;
      all.costMicro += sign * most.costMicro;
    };
    change(1);
    return () => {
      change(-1);
      if (all.calls === 0) users.delete(userId);
      all.ended.resolve();
      all.ended = Promise.withResolvers();
    };
  };

  /** What runs is read before what is stored: a call that ends between them counts twice, not never. */
  const tryEnter = async (
    userId: string,
    info: ModelInfo | null,
  ): Promise<DayEntry | { wait: Promise<void> }> => {
    const most = info === null ? { tokens: 0, costMicro: 0 } : mostOf(info);
    const running = users.get(userId);
    const before = running && { ...running };
    const { problem, left } = await limitsToday(needs, userId);
    if (problem !== null) return { problem };
    const fits =
      before === undefined ||
      (before.tokens + most.tokens <= left.tokens && before.costMicro + most.costMicro <= left.costMicro);
    return fits ? { problem: null, info, leave: reserve(userId, most) } : { wait: before.ended.promise };
  };

  return {
    enter: async (userId, use, signal) => {
      const info = await needs.model.info(use);
      while (!signal.aborted) {
        const entry = await inTurn.run(userId, () => tryEnter(userId, info));
        if (!('wait' in entry)) return entry;
        await Promise.race([entry.wait, aborted(signal)]);
      }
      return null;
    },
  };
};
