import { nextCalls } from '../../machines/next-agent.ts';
import { type History, nextSeqOf } from '../../memory/history.ts';
import { sumOf, usageOfCall, usageWrites, withUsage } from '../../memory/usage.ts';
import { ModelError, type ModelInfo, type ModelRequest } from '../../ports/model.ts';
import { errors } from '../../rows/errors.ts';
import { eventOf } from '../../rows/events.ts';
import { agentLimits } from '../../rows/limits.ts';
import { agentOf, historyOf, nextSeq, type Work } from '../../rows/load.ts';
import { newMessage } from '../../rows/new-rows.ts';
import type { MessageRow, ToolCallRow } from '../../rows/rows.ts';
import { insert, update, type Write } from '../../rows/store.ts';
import { shownArguments } from '../../tools/common/asks.ts';
import type { AgentTool } from '../../tools/common/tool.ts';
import type { ToolSet } from '../../tools/tool-set.ts';
import type { TurnEffect } from '../effects.ts';
import { type AgentEnd, endOf } from '../ends/end-agent.ts';
import { noteFor } from '../ends/notes.ts';
import { blockEvents, storedParts } from '../blocks.ts';
import { buildPrompt, type BuiltPrompt } from './build-prompt.ts';
import { callModel, isUsed, type Thought } from './call-model.ts';
import { keepCut } from './keep-cut.ts';
import { agentEnds, type StepContext } from './step-context.ts';
import { traceOf } from './upkeep.ts';

interface Thinking {
  work: Work;
  tools: ToolSet;
  /** As it was read at the begin of the step; null while none is chosen. */
  info: ModelInfo | null;
  /** Without tools: the agent sums up. */
  isLast: boolean;
  signal: AbortSignal;
}

const specOf = ({ name, description, inputSchema }: AgentTool) => ({ name, description, inputSchema });

interface Asked {
  thought: Thought;
  /** Tries that failed, and are billed as well. */
  earlier: readonly Thought[];
  request: ModelRequest;
  /** What the prompt was made from. */
  history: History;
}

/** One model call; a prompt that the model refuses as too long is shortened once. */
const ask = async (
  ctx: StepContext,
  { work, tools, isLast, signal }: Thinking,
  info: ModelInfo,
): Promise<Asked> => {
  const shown = isLast ? [] : tools.inPrompt.map(specOf);
  const send = async (built: BuiltPrompt, { maxOutputTokens, provider }: ModelInfo): Promise<Asked> => {
    const { system, messages, history } = built;
    const request = {
      use: 'main' as const,
      system,
      messages,
      tools: shown,
      maxOutputTokens,
      trace: traceOf(work),
    };
    return { request, history, ...(await callModel(ctx, work, { request, provider, signal })) };
  };
  const input = { isLast, tools: tools.inPrompt, signal };
  const built = await buildPrompt(ctx, work, { ...input, info });
  const asked = await send(built, info);
  if (asked.thought.failure?.kind !== 'context') return asked;
  ctx.counts.delete(work.agent.id);
  const lower = Math.min(built.tokens, Math.floor(info.contextTokens * 0.7));
  ctx.model.lowerContext(info.id, Math.max(lower, agentLimits.leastContextTokens));
  const lowered = (await ctx.model.info('main')) ?? info;
  return send(await buildPrompt(ctx, work, { ...input, info: lowered }), lowered);
};

const callRows = (
  ctx: StepContext,
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
      turnEvents: null,
      turnId: null,
      startedAt: ctx.clock.now(),
      endedAt: null,
    };
  });

/** Calls on the machine that run next are begun with their step: that takes no transaction of its own. */
const begin = (rows: ToolCallRow[], { canRunBeside }: ToolSet): ToolCallRow[] => {
  const next = new Set(nextCalls(rows, canRunBeside));
  return rows.map((row) => (next.has(row) && row.effect === 'machine' ? { ...row, state: 'running' } : row));
};

const callEvent = (ctx: StepContext, { agent }: Work, call: ToolCallRow): Write => {
  const { args, isCut } = shownArguments(call.arguments, agentLimits.shownArgumentsBytes);
  return eventOf(ctx, agent, 'tool-call', {
    toolCallId: call.id,
    toolName: call.tool,
    args,
    ...(isCut && { isCut }),
    ...(call.requestId !== null && { requestId: call.requestId }),
  });
};

interface Step {
  work: Work;
  message: MessageRow;
  /** What is the same however often the transaction is tried. */
  writes: Write[];
  end: AgentEnd | null;
  signal: AbortSignal;
}

/** The number of a stored message, and what follows. */
interface Committed {
  seq: number;
  effects: TurnEffect[];
}

const noticeKey = ({ thread }: Work, text: string) => JSON.stringify([thread.userId, thread.id, text]);

const unreadNotes = '[The notes above came while you wrote your last message.]';

/**
 * Writes a step, behind notes for the main agent that came during the model call: a last step is followed by
 * another note, so that a run follows that reads them. Null where it was dropped.
 */
const commitStep = async (ctx: StepContext, step: Step): Promise<Committed | null> => {
  const { work, message, writes, end, signal } = step;
  const { userId, id } = work.agent;
  for (let attempt = 0; attempt < agentLimits.commitTries && !signal.aborted; attempt += 1) {
    const seq = attempt === 0 ? message.seq : await nextSeq(ctx, message);
    const ending = end === null ? null : await endOf(ctx, work, end);
    const isUnread = ending !== null && seq > message.seq;
    const all = [
      insert('agentMessages', { ...message, seq }),
      ...(isUnread ? [await noteFor(ctx, work, { text: unreadNotes, seq: seq + 1 })] : []),
      ...writes,
      ...(ending?.writes ?? []),
    ];
    // A step with calls that a power cut takes begins again: no call that changes something was synced yet.
    if (await ctx.store.commit(all, end === null ? 'kept' : 'synced'))
      return { seq, effects: ending?.effects ?? [] };
    const now = await agentOf(ctx, userId, id);
    if (now?.state !== 'ready' || now.steps !== work.agent.steps) return null;
  }
  if (signal.aborted) return null;
  throw errors.conflict({ message: 'The step could not be stored' });
};

/** `step` is null where the agent has ended with it, or its rows have changed meanwhile. */
export interface ThoughtStep {
  step: StoredStep | null;
  effects: TurnEffect[];
}

/** A step as it was stored, with the calls that it asked for. */
export interface StoredStep {
  work: Work;
  calls: readonly ToolCallRow[];
  /** What the model was offered. */
  tools: ToolSet;
}

/** One step: a model call, and one transaction with all that it gave. Throws `ModelError`. */
export const think = async (ctx: StepContext, thinking: Thinking): Promise<ThoughtStep> => {
  const { work, tools, info } = thinking;
  const { agent, thread } = work;
  const { userId, id } = agent;
  if (info === null) throw new ModelError('model', 'No model is chosen.');
  const { thought, earlier, request, history } = await ask(ctx, thinking, info);
  const own = usageOfCall(thought, request, info);
  const isBilled = thought.failure === null || isUsed(thought);
  const usage = sumOf([...earlier.map((one) => usageOfCall(one, request, info)), ...(isBilled ? [own] : [])]);
  if (thought.failure !== null) {
    const isEnding = !thinking.signal.aborted || thinking.signal.reason === agentEnds;
    if (isBilled || earlier.length > 0)
      await keepCut(ctx, work, { thought, usage, prices: info.prices, isEnding });
    throw thought.failure;
  }
  const calls = thinking.isLast ? [] : begin(callRows(ctx, work, { thought, tools }), tools);
  const said = storedParts(thought.parts, calls.length > 0);
  const asked = calls.map(
    ({ id: toolCallId, tool, arguments: text }) =>
      ({ type: 'tool-call', toolCallId, tool, arguments: text }) as const,
  );
  const now = ctx.clock.now();
  const tokens = own.inputTokens + own.outputTokens;
  const message = newMessage(ctx, {
    userId,
    threadId: thread.id,
    runId: work.run.id,
    agentId: id,
    history: historyOf(agent),
    seq: nextSeqOf(history),
    step: agent.steps + 1,
    role: 'assistant',
    source: 'model',
    parts: [...said, ...asked],
    tokens,
  });
  const text = thought.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
  const used = { ...work, run: withUsage(work.run, usage, info.prices) };
  const acting = {
    state: 'acting',
    steps: agent.steps + 1,
    lastActiveAt: now,
    // The descriptions of tools are text in the prompt.
    ...(tools.inPrompt.some(({ isOutside }) => isOutside === true) && { tainted: true }),
  } as const;
  const news =
    agent.kind === 'main' ? tools.left.filter((text) => !ctx.shownNotices.has(noticeKey(work, text))) : [];
  const committed = await commitStep(ctx, {
    work: used,
    message,
    writes: [
      update('agentAgents', { userId, id, state: 'ready', steps: agent.steps }, acting),
      ...news.map((text) => eventOf(ctx, agent, 'notice', { text })),
      ...blockEvents(ctx, agent, said),
      ...calls.flatMap((call) => [insert('agentToolCalls', call), callEvent(ctx, work, call)]),
      ...usageWrites(work.run, usage, { prices: info.prices, calls: calls.length }),
    ],
    end: calls.length > 0 ? null : { outcome: 'completed', result: text },
    signal: thinking.signal,
  });
  if (committed === null) return { step: null, effects: [] };
  for (const text of news) ctx.shownNotices.set(noticeKey(work, text), true);
  if (own.estimated !== true) ctx.counts.set(id, { tokens, seq: committed.seq, from: history.from });
  const effects: TurnEffect[] = [...committed.effects, { type: 'keepNotes', work, history }];
  const step =
    calls.length === 0 ? null : { work: { ...used, agent: { ...agent, ...acting } }, calls, tools };
  return { step, effects };
};
