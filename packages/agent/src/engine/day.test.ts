import { createFakeClock } from '@drawbridge/kit';
import { describe, expect, it } from 'vitest';
import type { AgentConfig } from '../ports/config.ts';
import type { ModelInfo } from '../ports/model.ts';
import { createDay } from './day.ts';

const never = new AbortController().signal;
const info: ModelInfo = {
  ...{ id: 'stub', provider: 'stub', contextTokens: 900, maxOutputTokens: 100 },
  prices: { input: 1, cached: 1, output: 1 },
};

/** A day of 10,000 tokens, and calls of at most 1,000 each. */
const open = (limits: Partial<Pick<AgentConfig, 'tokensPerDay' | 'costMicroPerDay'>> = {}, before = 0) => {
  const used = { tokens: before, costMicro: before };
  let most = 0;
  let inFlight = 0;
  const config = { tokensPerDay: 10_000, costMicroPerDay: null, ...limits } as AgentConfig;
  const day = createDay({
    store: { usageSince: async () => ({ ...used }) } as never,
    clock: createFakeClock(),
    config: async () => config,
    model: { info: async () => info } as never,
  });
  /** One call that uses so many tokens; whether it was made. */
  const call = async (tokens = 1_000, user = 'ann', use: 'main' | 'helper' = 'main') => {
    const entry = await day.enter(user, use, never);
    if (entry === null || entry.problem !== null) return false;
    inFlight += 1;
    most = Math.max(most, inFlight);
    // Other calls begin meanwhile.
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
    used.tokens += tokens;
    used.costMicro += tokens;
    inFlight -= 1;
    entry.leave();
    return true;
  };
  const calls = async (count: number, tokens?: number) =>
    (
      await Promise.all(
        Array.from({ length: count }, (_, n) => call(tokens, 'ann', n % 2 ? 'helper' : 'main')),
      )
    ).filter(Boolean).length;
  return { day, used, call, calls, most: () => most };
};

describe('NA-11: the day of a user', () => {
  it.each([
    ['far from the limit', {}, 0, 5, 5, 5],
    ['100 calls at once stop at the limit', {}, 0, 100, 10, 9],
    ['near the limit one after the other, and then none', {}, 9_500, 8, 1, 1],
    ['of money', { tokensPerDay: null, costMicroPerDay: 10_000 }, 9_500, 8, 1, 1],
    ['spent', {}, 10_000, 8, 0, 0],
    ['without a limit', { tokensPerDay: null }, 1_000_000, 8, 8, 8],
  ])('%s', async (_what, limits, before, count, made, atOnce) => {
    const { calls, used, most } = open(limits, before);
    expect(await calls(count)).toBe(made);
    expect(used.tokens).toBeLessThan(before + made * 1_000 + 1);
    expect(most()).toBeGreaterThanOrEqual(Math.min(made, atOnce) === 0 ? 0 : 1);
    expect(most()).toBeLessThanOrEqual(Math.max(atOnce, 1));
  });

  it('ends within one call of its limit, however many run at once and whatever they use', async () => {
    const { calls, used } = open();
    await calls(300, 990);
    expect(used.tokens).toBeGreaterThanOrEqual(10_000);
    expect(used.tokens).toBeLessThan(11_000);
  });

  it('uses what a small call has left', async () => {
    const { calls, used } = open({}, 9_000);
    expect(await calls(20, 100)).toBe(10);
    expect(used.tokens).toBe(10_000);
  });

  it('does not wait for another user, and not after an abort', async () => {
    const { day } = open({}, 9_500);
    const entry = await day.enter('ann', 'main', never);
    expect(await day.enter('bob', 'main', never)).toMatchObject({ problem: null });
    const abort = new AbortController();
    const waiting = day.enter('ann', 'main', abort.signal);
    abort.abort();
    expect(await waiting).toBeNull();
    if (entry?.problem === null) entry.leave();
    expect(await day.enter('ann', 'main', never)).toMatchObject({ problem: null });
  });
});
