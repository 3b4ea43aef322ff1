import { z } from 'zod';
import type { AgentRow } from '../../rows/rows.ts';
import { agentLimits } from '../../rows/limits.ts';
import { mayUseRuntimes } from '../../rows/sender.ts';
import { openAgentStates } from '../../rows/states.ts';
import { approvalOf } from '../common/approval.ts';
import { coreTool, textResult, type ToolEffect, type ToolOutcome, type ToolUse } from '../common/tool.ts';
import { machineFor } from '../common/runtimes.ts';
import { correctAgent } from '../plans/background.ts';
import { subAgentsOf, subAgentWith } from '../plans/sub-agent-turns.ts';
import { type NewAgent, newSubAgent } from '../plans/sub-agents.ts';
import { unknownSubAgent } from './sub-agents.ts';

const runtimes = z.strictObject({
  runtime: z
    .string()
    .max(64)
    .optional()
    .describe(
      'A coding agent of a machine answers it, such as claude_code: with its own tools, and no others',
    ),
  folder: z.string().max(1_000).optional().describe('With runtime: below the shared folder'),
});

const input = z.strictObject({
  role: z.string().min(1).max(60).describe('Who it is, such as "log reader"'),
  instructions: z.string().min(1).max(8_000).describe('All that it needs to know; it sees nothing else'),
  tools: z.array(z.string().max(128)).max(24).default([]).describe('Names of the tools that it may use'),
  max_steps: z.number().int().min(1).max(agentLimits.maxDelegateSteps).default(agentLimits.delegateSteps),
  ...runtimes.shape,
  background: z.boolean().default(false).describe('true: it works on after this run, and you get a task id'),
});

type Rows = readonly AgentRow[];

const without = (rows: Rows, left: Rows): AgentRow[] =>
  rows.filter(({ id }) => left.every((one) => one.id !== id));

/** Why no more background tasks can begin in the place of those; null if one can. */
const refusal = async ({ ctx, thread }: ToolUse, replaced: Rows): Promise<string | null> => {
  const open = { userId: thread.userId, kind: 'background', state: openAgentStates } as const;
  const all = without(await ctx.store.find('agentAgents', open), replaced);
  const here = all.filter(({ threadId }) => threadId === thread.id);
  const { backgroundPerThread, backgroundPerUser } = agentLimits;
  if (here.length >= backgroundPerThread)
    return `There are ${backgroundPerThread} background tasks in this thread, the most that may run. Wait for one to end, or cancel one.`;
  if (all.length >= backgroundPerUser)
    return `The person has ${backgroundPerUser} background tasks, the most that may run.`;
  return null;
};

/** Why no more sub-agents can begin in this run in the place of those; null if one can. */
const delegateRefusal = async ({ ctx, agent }: ToolUse, replaced: Rows): Promise<string | null> => {
  const { userId, runId } = agent;
  const open = { userId, runId, kind: 'delegate', state: openAgentStates } as const;
  const count = without(await ctx.store.find('agentAgents', open), replaced).length;
  return count < agentLimits.delegatesAtOnce
    ? null
    : `${count} sub-agents work already, the most at once. Start this one again when they have ended.`;
};

type Asked = z.output<typeof runtimes>;
type ChildRuntime = NonNullable<AgentRow['runtime']>;

const ownTools = 'A coding agent has its own tools: leave tools out.';
const notAllowed =
  'Coding agents of a machine are not for who has sent this message: a token needs the scope runtime, and a webhook starts none.';

/** The coding agent that is meant, where its machine offers it now; else why not. */
const runtimeFor = async (
  { ctx, thread, run }: ToolUse,
  { runtime: id, folder }: Asked,
): Promise<ChildRuntime | string | null> => {
  if (id === undefined) return folder === undefined ? null : 'A folder goes with a runtime.';
  if (!mayUseRuntimes({ key: run.sender, groups: run.groups })) return notAllowed;
  const machines = await ctx.machine.runtimes(thread.userId);
  const machine = machineFor(machines, id, thread.machineId);
  const offered = [...new Set(machines.flatMap(({ runtimes }) => runtimes))].join(', ') || 'none';
  return machine
    ? { id, machineId: machine.id, folder: folder ?? null, session: null }
    : `No connected machine offers ${id} (offered: ${offered}). The person enables it there: drawbridge runtimes enable ${id}`;
};

/** A first turn, or one more of the same sub-agent. */
interface Start extends Pick<
  NewAgent,
  'role' | 'instructions' | 'tools' | 'maxSteps' | 'continues' | 'runtime'
> {
  background: boolean;
  /** Turns that it takes the place of; they end once it may begin. */
  replaced?: Rows;
}

const start = async (use: ToolUse, { background, replaced = [], ...given }: Start): Promise<ToolOutcome> => {
  const { ctx, agent, call } = use;
  const problem = await (background ? refusal(use, replaced) : delegateRefusal(use, replaced));
  if (problem !== null) return textResult(problem, 'failed');
  if (replaced.length > 0) await ctx.stopAgents(replaced, 'cancelled');
  const kind = background ? 'background' : 'delegate';
  const own = { kind, title: given.role, parentCallId: background ? null : call.id } as const;
  const { id, writes } = newSubAgent(ctx, use, { ...given, ...own });
  const effects: ToolEffect[] = [{ type: 'wake', userId: agent.userId, agentId: id }];
  if (!background) return { type: 'wait', writes, effects };
  const text = `Started in the background as task ${id}. You get a message when it ends.`;
  return { ...textResult(text), writes, effects };
};

const approved = (use: ToolUse, { background, instructions }: Start, message: string) => {
  const action = background ? 'background' : 'delegate';
  return approvalOf(use, { action, grant: action, message, text: instructions, severity: 'info' });
};

/** A sub-agent with a role, instructions and an empty history. Specification, dynamic sub-agents. */
export const delegate = coreTool({
  name: 'delegate',
  description:
    'Give a piece of work to a sub-agent with its own context: noisy reading, browser work, or a task of many steps. It returns one result. With background it works on while you continue.',
  input,
  effect: 'own',
  action: 'delegate',
  run: async (use) => {
    const { role, instructions, tools, max_steps: maxSteps, background } = use.args;
    const runtime = await runtimeFor(use, use.args);
    if (typeof runtime === 'string') return textResult(runtime, 'failed');
    if (runtime !== null && tools.length > 0) return textResult(ownTools, 'failed');
    const given = { role, instructions, tools, maxSteps, background, runtime };
    const gate = await approved(use, given, `Start a sub-agent "${role}"?`);
    return gate.type === 'approved' ? start(use, given) : gate.outcome;
  },
});

const nextInput = z.strictObject({
  id: z.string().max(64).describe('The id of the sub-agent'),
  message: z.string().min(1).max(8_000).describe('What it should do next'),
  when_busy: z
    .enum(['queue', 'steer', 'interrupt'])
    .default('queue')
    .describe(
      'queue: behind its present work; steer: it reads it before its next step; interrupt: in its place',
    ),
  max_steps: input.shape.max_steps,
  background: input.shape.background,
});

const sendTo = async (use: ToolUse<z.output<typeof nextInput>>): Promise<ToolOutcome> => {
  const { ctx, args, thread } = use;
  const { id, message, when_busy: whenBusy, max_steps: maxSteps, background } = args;
  const one = subAgentWith(await subAgentsOf(ctx, thread), id);
  if (!one) return textResult(unknownSubAgent, 'failed');
  const [present] = one.open;
  if (present && whenBusy === 'steer') {
    await correctAgent(ctx, present, message);
    return textResult('Sent. It reads it before its next step.');
  }
  const { role, tools } = one;
  const own = one.last.runtime;
  if (own !== null && !mayUseRuntimes({ key: use.run.sender, groups: use.run.groups }))
    return textResult(notAllowed, 'failed');
  const runtime = own && { ...own, session: null };
  const given = { role, instructions: message, tools, maxSteps, background, runtime, continues: one };
  const gate = await approved(use, given, `Give the sub-agent "${role}" more to do?`);
  if (gate.type !== 'approved') return gate.outcome;
  if (one.turns.length >= agentLimits.turnsPerSubAgent)
    return textResult(
      `It has had ${one.turns.length} turns, the most. Start another sub-agent with what it needs to know.`,
      'failed',
    );
  return start(use, { ...given, replaced: whenBusy === 'interrupt' ? one.open : [] });
};

/** One more turn of a sub-agent, which knows what it did before. */
export const sendToSubAgent = coreTool({
  name: 'send-to-sub-agent',
  description:
    'Give a sub-agent of this conversation more to do. It remembers its earlier turns, has the same tools, and returns one result.',
  input: nextInput,
  effect: 'own',
  action: 'delegate',
  run: sendTo,
});
