import { z } from 'zod';
import { agentLimits } from '../../rows/limits.ts';
import { openAgentStates } from '../../rows/states.ts';
import { approvalOf } from '../common/approval.ts';
import { coreTool, textResult, type ToolEffect, type ToolOutcome, type ToolUse } from '../common/tool.ts';
import { newSubAgent } from '../plans/sub-agents.ts';

const input = z.strictObject({
  role: z.string().min(1).max(60).describe('Who it is, such as "log reader"'),
  instructions: z.string().min(1).max(8_000).describe('All that it needs to know; it sees nothing else'),
  tools: z.array(z.string().max(128)).max(24).default([]).describe('Names of the tools that it may use'),
  max_steps: z.number().int().min(1).max(agentLimits.maxDelegateSteps).default(agentLimits.delegateSteps),
  background: z.boolean().default(false).describe('true: it works on after this run, and you get a task id'),
});
type Args = z.output<typeof input>;

/** Why no more background tasks can begin; null if one can. */
const refusal = async ({ ctx, thread }: ToolUse): Promise<string | null> => {
  const open = { userId: thread.userId, kind: 'background', state: openAgentStates } as const;
  const all = await ctx.store.find('agentAgents', open);
  const here = all.filter(({ threadId }) => threadId === thread.id);
  const { backgroundPerThread, backgroundPerUser } = agentLimits;
  if (here.length >= backgroundPerThread)
    return `There are ${backgroundPerThread} background tasks in this thread, the most that may run. Wait for one to end, or cancel one.`;
  if (all.length >= backgroundPerUser)
    return `The person has ${backgroundPerUser} background tasks, the most that may run.`;
  return null;
};

/** Why no more sub-agents can begin in this run; null if one can. */
const delegateRefusal = async ({ ctx, agent }: ToolUse): Promise<string | null> => {
  const { userId, runId } = agent;
  const open = { userId, runId, kind: 'delegate', state: openAgentStates } as const;
  const count = (await ctx.store.find('agentAgents', open)).length;
  return count < agentLimits.delegatesAtOnce
    ? null
    : `${count} sub-agents work already, the most at once. Start this one again when they have ended.`;
};

const start = async (use: ToolUse, args: Args): Promise<ToolOutcome> => {
  const { ctx, agent, call } = use;
  const kind = args.background ? 'background' : 'delegate';
  const problem = await (args.background ? refusal(use) : delegateRefusal(use));
  if (problem !== null) return textResult(problem, 'failed');
  const { id, writes } = newSubAgent(ctx, use, {
    kind,
    role: args.role,
    title: args.role,
    instructions: args.instructions,
    tools: args.tools,
    maxSteps: args.max_steps,
    parentCallId: args.background ? null : call.id,
  });
  const effects: ToolEffect[] = [{ type: 'wake', userId: agent.userId, agentId: id }];
  if (!args.background) return { type: 'wait', writes, effects };
  const text = `Started in the background as task ${id}. You get a message when it ends.`;
  return { ...textResult(text), writes, effects };
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
    const { args } = use;
    const gate = await approvalOf(use, {
      action: args.background ? 'background' : 'delegate',
      grant: args.background ? 'background' : 'delegate',
      message: `Start a sub-agent "${args.role}"?`,
      text: args.instructions,
      severity: 'info',
    });
    return gate.type === 'approved' ? start(use, args) : gate.outcome;
  },
});
