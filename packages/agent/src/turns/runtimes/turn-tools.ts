import { turnResult, turnTool } from '@drawbridge/contracts/machines/runtimes';
import type { ToolResult } from '@drawbridge/contracts/tool-result';
import { errors } from '../../rows/errors.ts';
import type { RunRow, ToolCallRow } from '../../rows/rows.ts';
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
import { lastWords } from '../ends/runtime-words.ts';
import { eventWrites } from './events.ts';

type RunRuntime = NonNullable<RunRow['runtime']>;

/** What it was just writing, where no result has it. */
const cutWords = async (use: ToolUse, call: ToolCallRow): Promise<Write[]> => {
  const { userId, id, turnEvents } = call;
  const words = await lastWords(use.ctx, use, [call]);
  return words.length === 0
    ? []
    : [update('agentToolCalls', { userId, id, turnEvents }, { turnEvents }), ...words];
};

/** What is new in the result of a turn: events that no post has brought, and the tokens of its context. */
const writesOf = async (use: ToolUse, runtime: RunRuntime, result: ToolResult | null): Promise<Write[]> => {
  const { userId, id } = use.call;
  const { agent } = use;
  // Posts have brought some of them while the call ran.
  const [call] = await use.ctx.store.find('agentToolCalls', { userId, id });
  if (!call) throw errors.conflict();
  const { data } = turnResult.safeParse(result?.structuredContent);
  if (data === undefined) return cutWords(use, call);
  const { events, tokens } = data;
  const fresh = await eventWrites(use.ctx, { call, agent, runtime }, { from: 0, events, isOpen: false });
  const used = update('agentRuns', { userId, id: use.run.id }, { runtime: { ...runtime, tokens } });
  const isCounted = tokens !== null && agent.kind === 'main';
  return [...(fresh?.writes ?? []), ...(isCounted ? [used] : [])];
};

/** The call on its machine. Its text is here when Stop ends it, also where another server gets it. */
const callTurn = async (use: ToolUse, { machineId }: RunRuntime) => {
  const stopFollowing = use.ctx.bus.follow(use.call.userId, use.call.threadId);
  try {
    return await callMachine(use, { machineId, tool: turnTool, args: use.args });
  } finally {
    stopFollowing();
  }
};

/** Its text is in the chat already: the call itself says how it ended. */
const run = async (use: ToolUse, runtime: RunRuntime): Promise<ToolOutcome> => {
  const made = await callTurn(use, runtime);
  const outcome = toOutcome(use, made);
  if (outcome.type !== 'result' || made.kind !== 'ended') return outcome;
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
