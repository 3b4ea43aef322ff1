import { turnResult, turnTool } from '@drawbridge/contracts/machines/runtimes';
import type { ToolResult } from '@drawbridge/contracts/tool-result';
import { errors } from '../../rows/errors.ts';
import type { RunRow } from '../../rows/rows.ts';
import { update, type Write } from '../../rows/store.ts';
import {
  type AgentTool,
  anyObject,
  textResult,
  type ToolOutcome,
  type ToolUse,
} from '../../tools/common/tool.ts';
import { callMachine, toOutcome } from '../../tools/outside/machine-tools.ts';
import type { ToolSet } from '../../tools/tool-set.ts';
import { eventWrites } from './events.ts';

type RunRuntime = NonNullable<RunRow['runtime']>;

/** What is new in the result of a turn: events that no post has brought, and the tokens of its context. */
const writesOf = async (use: ToolUse, runtime: RunRuntime, result: ToolResult): Promise<Write[]> => {
  const { data } = turnResult.safeParse(result.structuredContent);
  if (data === undefined) return [];
  const { userId, id } = use.call;
  // Posts have brought some of them while the call ran.
  const [call] = await use.ctx.store.find('agentToolCalls', { userId, id });
  if (!call) throw errors.conflict();
  const { events, tokens } = data;
  const fresh = await eventWrites(use.ctx, { call, runtime }, { from: 0, events, isOpen: false });
  const used = update('agentRuns', { userId, id: use.run.id }, { runtime: { ...runtime, tokens } });
  return [...(fresh?.writes ?? []), ...(tokens === null ? [] : [used])];
};

/** Its text is in the chat already: the call itself says how it ended. */
const run = async (use: ToolUse, runtime: RunRuntime): Promise<ToolOutcome> => {
  const made = await callMachine(use, { machineId: runtime.machineId, tool: turnTool, args: use.args });
  const outcome = toOutcome(use, made);
  if (outcome.type !== 'result' || made.kind !== 'ended' || made.result === null) return outcome;
  const writes = await writesOf(use, runtime, made.result);
  const isDone = outcome.outcome === 'ok';
  return { ...(isDone ? textResult('The coding agent has ended its turn.') : outcome), writes };
};

/** The one tool of an agent whose messages a coding agent answers; no model sees it. */
export const turnToolsOf = (runtime: RunRuntime): ToolSet => {
  const tool: AgentTool = {
    name: turnTool,
    description: '',
    inputSchema: { type: 'object' },
    effect: 'machine',
    isParallel: false,
    parse: anyObject,
    run: (use) => run(use, runtime),
  };
  return { byName: new Map([[turnTool, tool]]), inPrompt: [], left: [], canRunBeside: () => false };
};
