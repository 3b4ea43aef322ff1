import { z } from 'zod';
import { coreTool, textResult } from '../common/tool.ts';
import { deletionOf } from '../plans/delete-sub-agent.ts';
import {
  lastResultOf,
  stateOf,
  stepsOf,
  type SubAgent,
  subAgentsOf,
  subAgentWith,
} from '../plans/sub-agent-turns.ts';

const listed = 50;
const shownResult = 2_000;

export const unknownSubAgent = 'There is no sub-agent with this id. list-sub-agents names them.';

const byId = z.strictObject({ id: z.string().max(64).describe('The id of the sub-agent') });
/** What it said may come from anywhere: it is marked as data. */
const source = 'sub-agent';

const line = (one: SubAgent) => {
  const { id, role, turns, open, last } = one;
  const waiting = open.length > 1 ? `, ${open.length - 1} waiting` : '';
  const kind = last.kind === 'background' ? ', in the background' : '';
  return `${id} "${role}": ${stateOf(one)}, ${turns.length} turns${waiting}${kind}`;
};

export const listSubAgents = coreTool({
  name: 'list-sub-agents',
  description: 'The sub-agents and background tasks of this conversation, with their ids and states.',
  input: z.strictObject({}),
  effect: 'read',
  run: async ({ ctx, thread }) => {
    const all = await subAgentsOf(ctx, thread);
    if (all.length === 0) return textResult('There are no sub-agents.');
    return { ...textResult(all.slice(0, listed).map(line).join('\n')), source };
  },
});

export const summarizeSubAgent = coreTool({
  name: 'summarize-sub-agent',
  description:
    'How a sub-agent stands: its state, its turns and steps, what it was asked last, and its last result.',
  input: byId,
  effect: 'read',
  run: async ({ ctx, args, thread }) => {
    const one = subAgentWith(await subAgentsOf(ctx, thread), args.id);
    if (!one) return textResult(unknownSubAgent, 'failed');
    const { last } = one;
    const answer = lastResultOf(one);
    const lines = [
      `${line(one)}, ${stepsOf(one)} steps`,
      `Last asked: ${last.instructions.slice(0, shownResult)}`,
      `Last result: ${answer === '' ? 'none' : answer.slice(0, shownResult)}`,
      ...(last.error === null ? [] : [`Error: ${last.error}`]),
    ];
    return { ...textResult(lines.join('\n')), source };
  },
});

export const deleteSubAgent = coreTool({
  name: 'delete-sub-agent',
  description: 'Stop a sub-agent and delete what it was asked, said and did. It cannot be asked again.',
  input: byId,
  effect: 'own',
  run: async ({ ctx, args, thread }) => {
    const one = subAgentWith(await subAgentsOf(ctx, thread), args.id);
    if (!one) return textResult(unknownSubAgent, 'failed');
    if (one.open.length > 0) await ctx.stopAgents(one.open, 'cancelled');
    const [ended = one] = (await subAgentsOf(ctx, thread)).filter(({ id }) => id === one.id);
    return { ...textResult('Deleted.'), writes: await deletionOf(ctx, thread, ended) };
  },
});
