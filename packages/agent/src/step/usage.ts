import type { Usage } from '@drawbridge/contracts/agent/events';
import type { ModelInfo, ModelRequest } from '../ports.ts';
import type { Thought } from './call-model.ts';

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
export const costOf = (usage: Usage, prices: ModelInfo['prices']): number | null => {
  if (prices === null) return null;
  const fresh = Math.max(0, usage.inputTokens - usage.cachedTokens);
  return Math.round(
    fresh * prices.input + usage.cachedTokens * prices.cached + usage.outputTokens * prices.output,
  );
};
