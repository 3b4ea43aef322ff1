import type { Usage } from '@drawbridge/contracts/agent/events';
import { exponential, fullJitter, sleep } from '@drawbridge/kit';
import { ModelError, type ModelErrorKind, type ModelPart, type ModelRequest } from '../../ports/model.ts';
import type { AgentNeeds } from '../../ports/needs.ts';
import { agentLimits } from '../../rows/limits.ts';
import type { Work } from '../../rows/load.ts';
import type { MessagePart } from '../../rows/parts.ts';

/** What one model call gave. */
export interface Thought {
  /** Without the calls. */
  parts: MessagePart[];
  calls: { tool: string; arguments: string }[];
  usage: Usage | null;
  /** Why it ended before its end; null for a whole one. */
  failure: ModelError | null;
}

const stopped = () => new ModelError('aborted', 'Stopped');

const retried: ReadonlySet<ModelErrorKind> = new Set(['network', 'cut', 'silent', 'overloaded', 'rate']);
const longestRetryAfterMs = 60_000;
const retryBaseMs = 2_000;

const busyText: Partial<Record<ModelErrorKind, string>> = {
  rate: 'The provider limits requests',
  overloaded: 'The provider is busy',
};

interface Block {
  id: string;
  type: 'text' | 'reasoning';
  text: string;
  metadata?: unknown;
}

type ModelNeeds = Pick<AgentNeeds, 'model' | 'bus' | 'clock'>;

/** Collects the parts of one call, also of one that fails, and publishes text while it is written. */
const callOnce = async (
  ctx: ModelNeeds,
  { agent }: Work,
  { request, provider, signal }: { request: ModelRequest; provider: string; signal: AbortSignal },
): Promise<Thought> => {
  const blocks: Block[] = [];
  const calls = new Map<number, { tool: string; arguments: string }>();
  const lengths = { text: 0, reasoning: 0 };
  let usage: Usage | null = null;
  const live = (type: 'text' | 'reasoning', text: string) => {
    if (text === '') return;
    ctx.bus.live(agent.userId, agent.threadId, {
      type: `${type}-delta`,
      runId: agent.runId,
      agentId: agent.id,
      ts: ctx.clock.now(),
      payload: { text, step: agent.steps + 1, offset: lengths[type] },
    });
    lengths[type] += text.length;
  };
  const blockOf = (type: Block['type'], id: string): Block => {
    const last = blocks.at(-1);
    if (last?.type === type && last.id === id) return last;
    const block: Block = { id, type, text: '' };
    blocks.push(block);
    return block;
  };
  const take = (part: ModelPart) => {
    switch (part.type) {
      case 'text':
        blockOf('text', '').text += part.text;
        live('text', part.text);
        break;
      case 'reasoning': {
        const block = blockOf('reasoning', part.id);
        block.text += part.text;
        if (part.metadata !== undefined) block.metadata = part.metadata;
        live('reasoning', part.text);
        break;
      }
      case 'tool-start':
        break;
      case 'tool-call':
        calls.set(part.index, { tool: part.tool, arguments: part.arguments });
        break;
      case 'finish':
        usage = part.usage;
        break;
      default:
        part satisfies never;
    }
  };
  let failure: ModelError | null = null;
  try {
    for await (const part of ctx.model.stream(request, signal)) take(part);
  } catch (error) {
    if (!signal.aborted && !(error instanceof ModelError)) throw error;
    failure = signal.aborted ? stopped() : (error as ModelError);
  }
  const parts = blocks.flatMap((block): MessagePart[] => {
    if (block.type === 'text') return block.text === '' ? [] : [{ type: 'text', text: block.text }];
    return [{ type: 'reasoning', text: block.text, provider, metadata: block.metadata ?? null }];
  });
  const inOrder = [...calls.entries()].toSorted(([a], [b]) => a - b).map(([, call]) => call);
  return { parts, calls: inOrder, usage, failure };
};

const retryMs = (error: ModelError, attempt: number) =>
  Math.min(
    error.retryAfterMs ??
      fullJitter(exponential(attempt, { baseMs: retryBaseMs, capMs: longestRetryAfterMs })),
    longestRetryAfterMs,
  );

/** Says in the thread what the agent does at this moment; '' clears it. */
const showStatus = (ctx: ModelNeeds, { agent }: Pick<Work, 'agent'>, message: string): void =>
  ctx.bus.live(agent.userId, agent.threadId, {
    type: 'status',
    runId: agent.runId,
    agentId: agent.id,
    ts: ctx.clock.now(),
    payload: { message },
  });

/** Whether a provider bills a call that failed: it wrote something, or we ended it at its work. */
export const isUsed = ({ parts, calls, usage, failure }: Thought): boolean =>
  parts.length > 0 || calls.length > 0 || usage !== null || failure?.kind === 'aborted';

/** One model call, tried again where that may help. `earlier`: tries that failed and are billed as well. */
export const callModel = async (
  ctx: ModelNeeds,
  work: Work,
  call: { request: ModelRequest; provider: string; signal: AbortSignal },
): Promise<{ thought: Thought; earlier: Thought[] }> => {
  const earlier: Thought[] = [];
  for (let attempt = 0; ; attempt += 1) {
    const thought = await callOnce(ctx, work, call);
    const { failure } = thought;
    if (failure === null || !retried.has(failure.kind) || attempt >= agentLimits.modelRetries)
      return { thought, earlier };
    const waitMs = retryMs(failure, attempt);
    const cause = busyText[failure.kind] ?? 'The connection to the model broke';
    showStatus(ctx, work, `${cause}; next try in ${Math.ceil(waitMs / 1_000)} s`);
    await sleep(ctx.clock, waitMs, call.signal).catch(() => {});
    showStatus(ctx, work, '');
    if (call.signal.aborted) return { thought: { ...thought, failure: stopped() }, earlier };
    if (isUsed(thought)) earlier.push(thought);
  }
};
