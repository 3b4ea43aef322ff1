import type { Usage } from '@drawbridge/contracts/agent/events';
import type { Clock } from '@drawbridge/kit';
import { ModelError, type ModelPort } from '../ports/model.ts';
import type { TraceParent } from '../ports/tracing.ts';
import type { AgentStore, Write } from '../rows/store.ts';
import { usageOfCall } from './usage.ts';

export interface MemoryContext {
  store: AgentStore;
  model: ModelPort;
  clock: Clock;
  signal: AbortSignal;
  trace?: TraceParent;
}

/** What to write in one transaction, and what the helper model used; null where it gave no numbers. */
export interface MemoryStep {
  writes: Write[];
  usage: Usage | null;
}

export const noStep: MemoryStep = { writes: [], usage: null };

const helperLimitMs = 60_000;

export interface HelperAnswer {
  /** Null: the model failed, was cut, or took too long. */
  text: string | null;
  usage: Usage | null;
}

const read = async (
  { model, trace }: MemoryContext,
  { system, question }: { system: string; question: string },
  signal: AbortSignal,
): Promise<HelperAnswer> => {
  let text = '';
  const messages = [{ role: 'user' as const, parts: [{ type: 'text' as const, text: question }] }];
  const request = { use: 'helper' as const, system: [system], messages, tools: [], ...(trace && { trace }) };
  for await (const part of model.stream(request, signal)) {
    if (part.type === 'text') text += part.text;
    if (part.type !== 'finish') continue;
    const isWhole = part.reason !== 'length' && part.reason !== 'filter';
    const info = await model.info('helper');
    const answer = { parts: [{ type: 'text' as const, text }], calls: [], usage: part.usage };
    return { text: isWhole ? text : null, usage: info && usageOfCall(answer, request, info) };
  }
  return { text: null, usage: null };
};

/** Asks the helper model once, without tools. Its failure is no error. */
export const askHelper = async (
  ctx: MemoryContext,
  question: { system: string; question: string },
  limitMs = helperLimitMs,
): Promise<HelperAnswer> => {
  const timeout = new AbortController();
  const cancelTimer = ctx.clock.after(limitMs, () => timeout.abort());
  try {
    return await read(ctx, question, AbortSignal.any([ctx.signal, timeout.signal]));
  } catch (error) {
    if (error instanceof ModelError) return { text: null, usage: null };
    throw error;
  } finally {
    cancelTimer();
  }
};

/** The share of the helper's context that a transcript may fill. */
const transcriptShare = 0.6;

/** Tokens of a transcript that the helper model can read; null while no model is chosen. */
export const helperRoom = async ({ model }: MemoryContext): Promise<number | null> => {
  const info = await model.info('helper');
  return info && Math.floor(info.contextTokens * transcriptShare);
};

/** A helper's answer without the fence that some models put around it. */
export const unfenced = (text: string): string =>
  text
    .trim()
    .replace(/^```[a-z]{0,20}\n([\s\S]*?)\n?```$/, '$1')
    .trim();
