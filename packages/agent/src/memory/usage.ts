import type { Usage } from '@drawbridge/contracts/agent/events';
import type { ModelInfo, ModelRequest } from '../ports/model.ts';
import type { RunRow } from '../rows/rows.ts';
import type { MessagePart } from '../rows/parts.ts';
import { increase, update, type Write } from '../rows/store.ts';
import { estimateTokens, fixedTokens, messagesTokens } from './tokens.ts';

/** What a model call has given. */
export interface Answer {
  parts: readonly MessagePart[];
  calls: readonly { tool: string; arguments: string }[];
  /** As the provider counts it. */
  usage: Usage | null;
}

/** A token has at least one byte, and about this many. */
const bytesPerToken = 3.5;

const isCount = (tokens: number) => Number.isFinite(tokens) && tokens >= 0;

/**
 * What a model call has used as its provider says it, within what is possible: no more tokens than bytes,
 * beyond the limits of the model. Estimated where it gives no numbers, or none that can be.
 */
export const usageOfCall = (
  { parts, calls, usage }: Answer,
  { system, messages, tools }: ModelRequest,
  { contextTokens, maxOutputTokens }: Pick<ModelInfo, 'contextTokens' | 'maxOutputTokens'>,
): Usage => {
  const isSilent = parts.length + calls.length === 0;
  const asked = () => fixedTokens(system, tools) + messagesTokens(messages);
  const said = () => (isSilent ? 0 : estimateTokens(JSON.stringify([parts, calls])));
  const within = (tokens: number, least: number, estimate: () => number) =>
    tokens <= least ? tokens : Math.min(tokens, Math.max(least, Math.ceil(estimate() * bytesPerToken)));
  const { inputTokens = 0, outputTokens = 0, cachedTokens = 0 } = usage ?? {};
  const isPossible =
    isCount(inputTokens) && isCount(outputTokens) && inputTokens > 0 && (outputTokens > 0 || isSilent);
  if (usage === null || !isPossible)
    return { inputTokens: asked(), outputTokens: said(), cachedTokens: 0, estimated: true };
  const input = within(inputTokens, contextTokens, asked);
  return {
    ...usage,
    inputTokens: input,
    outputTokens: within(outputTokens, maxOutputTokens, said),
    cachedTokens: isCount(cachedTokens) ? Math.min(cachedTokens, input) : 0,
  };
};

const nothingUsed: Usage = { inputTokens: 0, outputTokens: 0, cachedTokens: 0 };

/** Of several calls: a step whose model call was tried again. */
export const sumOf = (all: readonly Usage[]): Usage =>
  all.reduce(
    (sum, usage) => ({
      inputTokens: sum.inputTokens + usage.inputTokens,
      outputTokens: sum.outputTokens + usage.outputTokens,
      cachedTokens: sum.cachedTokens + usage.cachedTokens,
      ...((sum.estimated === true || usage.estimated === true) && { estimated: true }),
    }),
    nothingUsed,
  );

/** In millionths of the owner's currency; null without prices. */
export const costOf = (usage: Usage, prices: ModelInfo['prices']): number | null => {
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

/** Cached tokens cost little, and count a tenth. */
export const tokensOf = (row: { inputTokens: number; outputTokens: number; cachedTokens: number }): number =>
  row.inputTokens + row.outputTokens - Math.floor(row.cachedTokens * 0.9);
