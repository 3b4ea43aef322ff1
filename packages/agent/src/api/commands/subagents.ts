import { threadOf } from '../../rows/load.ts';
import type { ThreadRow } from '../../rows/rows.ts';
import { deletionOf } from '../../tools/plans/delete-sub-agent.ts';
import {
  lastResultOf,
  stateOf,
  stepsOf,
  type SubAgent,
  subAgentsOf,
  subAgentWith,
} from '../../tools/plans/sub-agent-turns.ts';
import type { Command, CommandContext } from './command.ts';

const usage = 'Usage: /subagents list | summary [<id>] | cancel <id> | delete <id>';
const shown = 20;
const shownResult = 2_000;

const line = (one: SubAgent) => {
  const turns = one.turns.length > 1 ? `  ${one.turns.length} turns` : '';
  return `${one.id}  ${one.last.kind}  ${stateOf(one)}${turns}  ${one.role}`;
};

const summaryOf = (all: readonly SubAgent[]) => {
  const open = all.filter((one) => one.open.length > 0).length;
  return `${all.length} sub-agents: ${open} open, ${all.length - open} ended.`;
};

const oneSummary = (one: SubAgent) => {
  const result = lastResultOf(one);
  return [
    `${line(one)}  ${stepsOf(one)} steps`,
    ...(result === '' ? ['It has no result yet.'] : [result.slice(0, shownResult)]),
    ...(one.last.error === null ? [] : [one.last.error]),
  ].join('\n');
};

/** Tries again where something was written to the thread meanwhile. */
const tries = 5;

const remove = async (context: CommandContext, thread: ThreadRow, id: string): Promise<string> => {
  const { ctx } = context;
  for (let left = tries; left > 0; left -= 1) {
    const one = subAgentWith(await subAgentsOf(ctx, thread), id);
    if (!one) return `${id} is deleted.`;
    if (one.open.length > 0) await ctx.stopAgents(one.open, 'cancelled');
    else if (await ctx.store.commit(await deletionOf(ctx, thread, one), 'synced'))
      return `${one.id} is deleted.`;
  }
  return `${id} could not be deleted, because it still works. Try again.`;
};

const cancel = async (context: CommandContext, one: SubAgent): Promise<string> => {
  if (one.open.length === 0) return `${one.id} has ended already.`;
  await context.ctx.stopAgents(one.open, 'cancelled');
  return `${one.id} is cancelled.`;
};

/** `/subagents`: the sub-agents and background tasks of the thread. */
export const subagentsCommand: Command = async (context, { sender, threadId, words }) => {
  const { ctx } = context;
  const [verb = 'list', id] = words;
  const thread = await threadOf(ctx, sender.userId, threadId);
  const all = thread ? await subAgentsOf(ctx, thread) : [];
  const one = id === undefined ? undefined : subAgentWith(all, id);
  const unknown = `There is no such sub-agent. ${usage}`;
  switch (verb) {
    case 'list':
      return all.length === 0 ? 'There are no sub-agents.' : all.slice(0, shown).map(line).join('\n');
    case 'summary':
      if (id === undefined) return summaryOf(all);
      return one ? oneSummary(one) : unknown;
    case 'cancel':
      return one ? cancel(context, one) : unknown;
    case 'delete':
      return thread && one ? remove(context, thread, one.id) : unknown;
    default:
      return usage;
  }
};
