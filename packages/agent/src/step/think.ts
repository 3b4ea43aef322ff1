import type { Usage } from '@drawbridge/contracts/agent/events';
import { shownArguments } from '../asks/ask.ts';
import { ModelError, type ModelInfo, type ModelRequest } from '../ports.ts';
import type { MessagePart, MessageRow, ToolCallRow } from '../rows.ts';
import { increase, insert, update, type Write } from '../store-port.ts';
import type { AgentTool } from '../tools/tool.ts';
import type { ToolSet } from '../tools/tool-set.ts';
import { callModel, type Thought } from './call-model.ts';
import { eventOf, type RunContext, type Work } from '../engine/context.ts';
import { endOf } from '../run/finish.ts';
import { agentLimits } from '../engine/limits.ts';
import { historyOf, nextSeq } from '../engine/load.ts';
import { buildPrompt } from './build-prompt.ts';
import { keepNotes, traceOf } from './upkeep.ts';
import { costOf, estimateUsage } from './usage.ts';

interface Thinking {
  work: Work;
  tools: ToolSet;
  /** Without tools: the agent sums up. */
  isLast: boolean;
  signal: AbortSignal;
}

const specOf = ({ name, description, inputSchema }: AgentTool) => ({ name, description, inputSchema });

/** One model call; a prompt that the model refuses as too long is shortened once. */
const ask = async (
  ctx: RunContext,
  { work, tools, isLast, signal }: Thinking,
  info: ModelInfo,
): Promise<{ thought: Thought; request: ModelRequest }> => {
  const build = async () => {
    const { system, messages } = await buildPrompt(ctx, work, {
      info,
      isLast,
      tools: tools.inPrompt,
      signal,
    });
    const shown = isLast ? [] : tools.inPrompt.map(specOf);
    const { maxOutputTokens } = info;
    return { use: 'main' as const, system, messages, tools: shown, maxOutputTokens, trace: traceOf(work) };
  };
  const request = await build();
  const call = { provider: info.provider, signal };
  try {
    return { request, thought: await callModel(ctx, work, { ...call, request }) };
  } catch (error) {
    if (!(error instanceof ModelError) || error.kind !== 'context') throw error;
    ctx.model.lowerContext(info.id, Math.floor(info.contextTokens * 0.7));
    const lowered = (await ctx.model.info('main')) ?? info;
    const shorter = await build();
    return {
      request: shorter,
      thought: await callModel(ctx, work, { ...call, provider: lowered.provider, request: shorter }),
    };
  }
};

const callRows = (
  ctx: RunContext,
  work: Work,
  { thought, tools }: { thought: Thought; tools: ToolSet },
): ToolCallRow[] =>
  thought.calls.slice(0, agentLimits.callsPerStep).map(({ tool, arguments: text }, n) => {
    const id = ctx.newId('tc_');
    const effect = tools.byName.get(tool)?.effect ?? 'own';
    return {
      userId: work.agent.userId,
      id,
      threadId: work.thread.id,
      runId: work.run.id,
      agentId: work.agent.id,
      step: work.agent.steps + 1,
      n,
      tool,
      arguments: text,
      effect,
      state: 'planned',
      outcome: null,
      requestId: effect === 'machine' ? ctx.newId('') : null,
      askId: null,
      result: null,
      whole: null,
      shown: '',
      isShownCut: false,
      signature: null,
      startedAt: ctx.clock.now(),
      endedAt: null,
    };
  });

const blockEvents = (ctx: RunContext, { agent }: Work, parts: readonly MessagePart[]): Write[] => {
  const step = agent.steps + 1;
  return parts.flatMap((part) => {
    if (part.type === 'text') return [eventOf(ctx, agent, ['text-block', { text: part.text, step }])];
    if (part.type === 'reasoning' && part.text !== '')
      return [eventOf(ctx, agent, ['reasoning-block', { text: part.text, step }])];
    return [];
  });
};

const callEvent = (ctx: RunContext, { agent }: Work, call: ToolCallRow): Write => {
  const { args, isCut } = shownArguments(call.arguments, agentLimits.shownArgumentsBytes);
  return eventOf(ctx, agent, [
    'tool-call',
    {
      toolCallId: call.id,
      toolName: call.tool,
      args,
      ...(isCut && { isCut }),
      ...(call.requestId !== null && { requestId: call.requestId }),
    },
  ]);
};

const usageWrite = (
  { run }: Work,
  usage: Usage,
  { prices, calls }: { prices: ModelInfo['prices']; calls: number },
): Write[] => {
  const { inputTokens, outputTokens, cachedTokens } = usage;
  const cost = costOf(usage, prices);
  const where = { userId: run.userId, id: run.id };
  const add = { inputTokens, outputTokens, cachedTokens, calls, ...(cost !== null && { costMicro: cost }) };
  return [
    increase('agentRuns', where, add),
    ...(usage.estimated === true && !run.isEstimated
      ? [update('agentRuns', where, { isEstimated: true })]
      : []),
  ];
};

/** One step: a model call, and one transaction with all that it gave. Throws `ModelError`. */
export const think = async (ctx: RunContext, thinking: Thinking): Promise<void> => {
  const { work, tools } = thinking;
  const { agent, run, thread } = work;
  const info = await ctx.model.info('main');
  if (info === null) throw new ModelError('model', 'No model is chosen.');
  const history = historyOf(agent);
  const seq = await nextSeq(ctx, { userId: agent.userId, threadId: thread.id, history });
  const { thought, request } = await ask(ctx, thinking, info);
  const usage = thought.usage ?? estimateUsage(request, thought);
  const calls = thinking.isLast ? [] : callRows(ctx, work, { thought, tools });
  const parts: MessagePart[] = [
    ...thought.parts,
    ...calls.map(({ id, tool, arguments: text }): MessagePart => ({
      type: 'tool-call',
      toolCallId: id,
      tool,
      arguments: text,
    })),
  ];
  const step = agent.steps + 1;
  const now = ctx.clock.now();
  const message: MessageRow = {
    userId: agent.userId,
    threadId: thread.id,
    history,
    seq,
    id: ctx.newId('msg_'),
    runId: run.id,
    agentId: agent.id,
    step,
    role: 'assistant',
    source: 'model',
    v: 1,
    parts: parts.length === 0 ? [{ type: 'text', text: '(nothing)' }] : parts,
    tokens: usage.inputTokens + usage.outputTokens,
    createdAt: now,
  };
  const writes = [
    update(
      'agentAgents',
      { userId: agent.userId, id: agent.id, state: 'ready', steps: agent.steps },
      { state: 'acting', steps: step, lastActiveAt: now },
    ),
    insert('agentMessages', message),
    ...blockEvents(ctx, work, thought.parts),
    ...calls.flatMap((call) => [insert('agentToolCalls', call), callEvent(ctx, work, call)]),
    ...usageWrite(work, usage, { prices: info.prices, calls: calls.length }),
  ];
  const text = thought.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
  const end =
    calls.length > 0
      ? { writes: [], after: () => {} }
      : await endOf(ctx, work, { outcome: 'completed', result: text });
  if (!(await ctx.store.commit([...writes, ...end.writes], 'synced'))) return;
  end.after();
  ctx.tidy(`notes ${agent.threadId} ${history}`, (signal) => keepNotes(ctx, work, signal));
};
