import { errorTable } from '@drawbridge/contracts/errors';
import type { ToolResult } from '@drawbridge/contracts/tool-result';
import type { ToolScope } from '@drawbridge/contracts/groups';
import type { MachineOutcome, MachineTool, MachineView } from '../../ports/machine.ts';
import type { Work } from '../../rows/load.ts';
import { newFile } from '../../rows/new-rows.ts';
import type { ThreadRow, ToolCallRow } from '../../rows/rows.ts';
import type { ResultPart } from '../../rows/parts.ts';
import { insert, type Write } from '../../rows/store.ts';
import { deniedBy } from '../common/approval.ts';
import { takenNames } from '../common/loose-names.ts';
import {
  type AgentTool,
  anyObject,
  textResult,
  type ToolContext,
  type ToolOutcome,
  type ToolUse,
} from '../common/tool.ts';

/** Tools of these groups fill a context quickly: a sub-agent uses them. */
const subAgentGroups: ReadonlySet<ToolScope | null> = new Set<ToolScope | null>(['browser']);
const subAgentTool = /^(mouse|keyboard)_/;

/** Gives a whole file: for `send_file` alone, the model has no use for its bytes. */
export const exportTool = 'export_file';

/** Providers take no dots in names. */
const safeName = (name: string) => name.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, 64);

/** The text of a result, and its pictures as files of the thread. */
export const resultParts = (
  ctx: Pick<ToolContext, 'clock' | 'newId'>,
  thread: Pick<ThreadRow, 'userId' | 'id'>,
  result: ToolResult,
): { parts: ResultPart[]; writes: Write[] } => {
  const parts: ResultPart[] = [];
  const writes: Write[] = [];
  for (const block of result.content) {
    if (block.type === 'text') parts.push({ type: 'text', text: block.text });
    else if (block.type === 'image') {
      const { data, mimeType: mediaType } = block;
      const file = newFile(ctx, thread, { name: 'picture', mediaType, data });
      writes.push(insert('agentFiles', file));
      parts.push({ type: 'image', fileId: file.id, mediaType });
    } else if (block.type === 'resource') {
      parts.push({ type: 'text', text: block.resource.text ?? `[file ${block.resource.uri}]` });
    } else if (block.type === 'resource_link') parts.push({ type: 'text', text: `[link ${block.uri}]` });
    else parts.push({ type: 'text', text: `[${block.mimeType}]` });
  }
  if (parts.length === 0) parts.push({ type: 'text', text: '(no output)' });
  return { parts, writes };
};

type Following = Pick<ToolUse, 'thread' | 'call'> & {
  ctx: Pick<ToolContext, 'machine' | 'clock' | 'newId'>;
};

const goneText =
  'The machine disconnected, and this call may have done a part of its work. Run there: drawbridge connect. Look at what was done before you try again.';

const outcomeOf = (
  { ctx, thread, call }: Following,
  ended: Extract<MachineOutcome, { kind: 'ended' }>,
): ToolOutcome => {
  const { result, state, error, denialReason } = ended;
  if (state === 'denied' && denialReason !== null) return deniedBy(denialReason);
  const bad = state === 'denied' || state === 'lost' ? state : 'failed';
  if (result === null) {
    const isGone = error?.code === errorTable.disconnected.code;
    const text = isGone ? goneText : (error?.message ?? `The call ended as ${state}.`);
    // The message of a tool that failed was written on the machine, the others by the gateway.
    const isOutside = error?.code === errorTable.toolFailed.code;
    return { ...textResult(text, bad), ...(isOutside && { source: call.tool }) };
  }
  const { parts, writes } = resultParts(ctx, thread, result);
  const isFailed = state !== 'succeeded' || result.isError === true;
  return { type: 'result', outcome: isFailed ? bad : 'ok', parts, writes, source: call.tool };
};

export const toOutcome = (following: Following, outcome: MachineOutcome): ToolOutcome => {
  if (outcome.kind === 'ended') return outcomeOf(following, outcome);
  const { question, title: message, expiresAt } = outcome;
  return { type: 'confirm', question, message, expiresAt };
};

/** The same call where it was made before; in the groups of the run, by default on the thread's machine. */
export const callMachine = (
  use: ToolUse,
  { machineId, tool, args }: { machineId?: string; tool: string; args: Record<string, unknown> },
): Promise<MachineOutcome> => {
  const { ctx, thread, agent, call, signal } = use;
  const { groups } = use.run;
  const title = thread.title === '' ? 'Chat' : thread.title;
  return ctx.machine.call(
    thread.userId,
    {
      requestId: call.requestId ?? call.id,
      threadId: thread.id,
      name: agent.kind === 'main' ? title : `${title} · ${agent.title || agent.role}`,
      machineId: machineId ?? thread.machineId,
      groups,
      tool,
      arguments: args,
    },
    signal,
  );
};

/** The result of a call that was made, also where the machine no longer offers its tool. */
export const followMachineCall = async (
  ctx: Following['ctx'],
  thread: ThreadRow,
  { call, signal }: { call: ToolCallRow; signal: AbortSignal },
): Promise<ToolOutcome> => {
  const { tool, requestId } = call;
  const { id: threadId, title: name, machineId } = thread;
  // The call is known: it is followed, and no new one is made.
  const meant = { threadId, name, machineId, groups: [], tool, arguments: {} };
  const made = await ctx.machine.call(thread.userId, { ...meant, requestId: requestId ?? call.id }, signal);
  return toOutcome({ ctx, thread, call }, made);
};

/** The tools that the agent may be offered, and one sentence for each that imitates another one. */
const readMachineTools = (
  { isOwnName }: Pick<ToolContext, 'isOwnName'>,
  { name: machine, tools }: MachineView,
): { offered: MachineTool[]; left: string[] } => {
  const isOfDaemon = takenNames(tools.filter(({ isOwn }) => isOwn).map(({ name }) => name));
  const offered = new Map<string, MachineTool>();
  const left: string[] = [];
  for (const tool of tools) {
    const { name, isOwn } = tool;
    if (isOwn && name === exportTool) continue;
    const isTaken = offered.has(safeName(name)) || (!isOwn && isOfDaemon(name));
    const why = isOwnName(name)
      ? 'its name looks like that of a tool of the agent'
      : 'its name looks like that of another tool of the machine';
    if (isOwnName(name) || isTaken)
      left.push(
        `The tool "${name}" of the machine "${machine}" is left out: ${why}. Rename it to use it here.`,
      );
    else offered.set(safeName(name), tool);
  }
  return { offered: [...offered.values()], left };
};

export interface MachineTools {
  tools: AgentTool[];
  /** What was left out, for the person. */
  left: string[];
}

/** The machine's tools, checked and confirmed as for every other caller; hidden while it is offline. */
export const machineTools = async (
  ctx: Pick<ToolContext, 'machine' | 'isOwnName'>,
  { thread, agent, run: { groups } }: Work,
): Promise<MachineTools> => {
  const machine = await ctx.machine.view(thread.userId, thread.machineId, groups);
  if (!machine) return { tools: [], left: [] };
  const { offered, left } = readMachineTools(ctx, machine);
  const tools = offered
    .filter(
      ({ group, name }) => agent.kind !== 'main' || !(subAgentGroups.has(group) || subAgentTool.test(name)),
    )
    .map((tool): AgentTool => ({
      name: safeName(tool.name),
      description: tool.description,
      inputSchema: tool.inputSchema,
      effect: 'machine',
      isOutside: !tool.isOwn,
      isParallel: tool.isReading,
      isHidden: !machine.isConnected,
      parse: anyObject,
      run: async (use) => toOutcome(use, await callMachine(use, { tool: tool.name, args: use.args })),
    }));
  return { tools, left };
};
