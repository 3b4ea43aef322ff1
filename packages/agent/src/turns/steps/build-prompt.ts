import { keepCheckpoint } from '../../memory/canvas.ts';
import { compactWhenNeeded } from '../../memory/compact.ts';
import type { History } from '../../memory/history.ts';
import { tokensOf } from '../../memory/usage.ts';
import { usesMemory } from '../../memory/working-memory.ts';
import { ModelError, type ModelInfo, type PromptMessage } from '../../ports/model.ts';
import type { TraceParent } from '../../ports/tracing.ts';
import { markOf } from '../../prompt/result.ts';
import { lastStepInstruction, subAgentPrompt } from '../../prompt/sub-agent.ts';
import { systemPrompt } from '../../prompt/system.ts';
import { agentLimits } from '../../rows/limits.ts';
import { historyOf, type Work } from '../../rows/load.ts';
import { openAgentStates } from '../../rows/states.ts';
import type { AgentTool } from '../../tools/common/tool.ts';
import { remember } from '../../tools/core/remember.ts';
import type { StepContext } from './step-context.ts';
import { helperUsage, traceMemory, traceOf } from './upkeep.ts';

interface PromptInput {
  info: ModelInfo;
  isLast: boolean;
  tools: readonly AgentTool[];
  signal: AbortSignal;
}

const domainsFor = ({ domains }: StepContext, tools: readonly AgentTool[]) =>
  domains.filter(({ id }) => tools.some(({ name }) => name.startsWith(`${id}_`)));

const runningTasks = async ({ store }: StepContext, { thread }: Work) => {
  const kind = ['background', 'planned'] as const;
  const where = { userId: thread.userId, threadId: thread.id, kind, state: openAgentStates };
  return (await store.find('agentAgents', where)).map(({ id, title, state }) => ({
    id,
    title,
    state: state === 'waiting' ? 'waits for the person' : 'running',
  }));
};

const budgetOf = ({ run, agent }: Work) => {
  const { callsPerRun, tokensPerRun } = agentLimits;
  return {
    steps: { left: agent.maxSteps - agent.steps, of: agent.maxSteps },
    calls: { left: callsPerRun - (run.calls - run.approvedCalls), of: callsPerRun },
    tokens: { left: tokensPerRun - (tokensOf(run) - run.approvedTokens), of: tokensPerRun },
  };
};

const systemOf = async (ctx: StepContext, work: Work, { tools, isLast }: PromptInput): Promise<string[]> => {
  const { agent, run, thread } = work;
  const machine = await ctx.machine.view(thread.userId, thread.machineId, run.groups);
  const now = ctx.clock.now();
  const same = { now, timeZone: run.timeZone, machine, domains: domainsFor(ctx, tools) };
  if (agent.kind === 'main')
    return systemPrompt({
      ...same,
      areToolsDeferred: tools.some(({ name }) => name === 'search_tools'),
      canRemember: tools.some(({ name }) => name === remember.name),
      tasks: await runningTasks(ctx, work),
      budget: budgetOf(work),
    });
  const prompt = subAgentPrompt({ ...same, role: agent.role, instructions: agent.instructions });
  return isLast ? [...prompt, lastStepInstruction] : prompt;
};

export interface BuiltPrompt {
  system: string[];
  messages: PromptMessage[];
  /** As estimated, or counted by the provider and estimated since. */
  tokens: number;
  /** What it was made from. */
  history: History;
}

/** What the next step of an agent sends to the model. */
export const buildPrompt = async (ctx: StepContext, work: Work, input: PromptInput): Promise<BuiltPrompt> => {
  const { agent, thread, run } = work;
  const { info, tools } = input;
  const system = await systemOf(ctx, work, input);
  const material = {
    threadId: thread.id,
    history: historyOf(agent),
    usesMemory: await usesMemory(ctx, work),
    memoryNamespace: (await ctx.config()).memoryNamespace ?? '',
    system,
    tools: tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
    info,
    mark: markOf(run),
    counted: ctx.counts.get(agent.id) ?? null,
    known: ctx.histories.get(agent.id),
  };
  const prepare = (trace: TraceParent) =>
    compactWhenNeeded(agent.userId, material, { ...ctx, signal: input.signal, trace });
  const { context, history, fits, writes, summary, usage } = await traceMemory(
    ctx,
    { name: 'prepare', parent: traceOf(work) },
    { run: prepare, isWorthIt: () => true },
  );
  const all = [...writes, ...(await helperUsage(ctx, run, usage))];
  // Notes were written meanwhile: the prompt is built from them.
  if (all.length > 0 && !(await ctx.store.commit(all, 'kept'))) return buildPrompt(ctx, work, input);
  if (summary !== null) await keepCheckpoint(ctx, summary);
  if (!fits) throw new ModelError('context', 'The conversation does not fit into the context of the model.');
  ctx.histories.set(agent.id, history);
  return { ...context, history };
};
