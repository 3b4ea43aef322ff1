import type { Usage } from '@drawbridge/contracts/agent/events';
import type { ModelInfo, ModelRequest } from '../ports/model.ts';
import type { Thought } from './call-model.ts';
import type { RunRow } from '../rows.ts';
import { increase, update, type Write } from '../store-port.ts';

const bytesPerToken = 3.5;
const bytesOf = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)).length;

/** For a provider that gives no numbers. */
export const estimateUsage = (request: ModelRequest, thought: Thought): Usage => ({
  inputTokens: Math.ceil(bytesOf([request.system, request.messages, request.tools]) / bytesPerToken),
  outputTokens: Math.ceil(bytesOf([thought.parts, thought.calls]) / bytesPerToken),
  cachedTokens: 0,
  estimated: true,
});

/** In millionths of the owner's currency; null without prices. */
const costOf = (usage: Usage, prices: ModelInfo['prices']): number | null => {
  if (prices === null) return null;
  const fresh = Math.max(0, usage.inputTokens - usage.cachedTokens);
  return Math.round(
    fresh * prices.input + usage.cachedTokens * prices.cached + usage.outputTokens * prices.output,
  );
};

interface UsageOf {
  prices: ModelInfo['prices'];
  /** Tool calls of the step. */
  calls?: number;
}

/** Adds what a model call has used to its run; several agents may do so at once. */
export const usageWrites = (
  { userId, id }: Pick<RunRow, 'userId' | 'id'>,
  usage: Usage,
  { prices, calls = 0 }: UsageOf,
): Write[] => {
  const { inputTokens, outputTokens, cachedTokens } = usage;
  const cost = costOf(usage, prices);
  const add = { inputTokens, outputTokens, cachedTokens, calls, ...(cost !== null && { costMicro: cost }) };
  return [
    increase('agentRuns', { userId, id }, add),
    ...(usage.estimated === true ? [update('agentRuns', { userId, id }, { isEstimated: true })] : []),
  ];
};

/** The run as it is with that usage, before it is written. */
export const withUsage = (run: RunRow, usage: Usage, prices: ModelInfo['prices']): RunRow => {
  const cost = costOf(usage, prices);
  return {
    ...run,
    inputTokens: run.inputTokens + usage.inputTokens,
    outputTokens: run.outputTokens + usage.outputTokens,
    cachedTokens: run.cachedTokens + usage.cachedTokens,
    costMicro: cost === null ? run.costMicro : (run.costMicro ?? 0) + cost,
    isEstimated: run.isEstimated || usage.estimated === true,
  };
};
