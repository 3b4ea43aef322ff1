import { parse } from 'secure-json-parse';
import { prepareResult } from '../../prompt/result.ts';
import { errors } from '../../rows/errors.ts';
import { agentLimits } from '../../rows/limits.ts';
import type { Work } from '../../rows/load.ts';
import type { AgentRow, ToolCallRow } from '../../rows/rows.ts';
import { update, type Write } from '../../rows/store.ts';
import { openAsk, openConfirmation } from '../../tools/common/asks.ts';
import { failureSignature } from '../../tools/common/repeats.ts';
import {
  type AgentTool,
  failureOf,
  textResult,
  type ToolOutcome,
  type ToolUse,
} from '../../tools/common/tool.ts';
import { followMachineCall } from '../../tools/outside/machine-tools.ts';
import type { ToolSet } from '../../tools/tool-set.ts';
import type { TurnEffect } from '../effects.ts';
import { endCall } from '../ends/end-call.ts';
import { onMachineCall } from '../ends/resume-calls.ts';
import { refusalOf } from './refusal.ts';
import type { StepContext } from './step-context.ts';

const readArguments = (tool: AgentTool, text: string): ReturnType<AgentTool['parse']> => {
  if (text.length > agentLimits.argumentsBytes) return { problem: 'The arguments are too large.' };
  try {
    return tool.parse(parse(text === '' ? '{}' : text, { protoAction: 'error', constructorAction: 'error' }));
  } catch {
    return { problem: 'The arguments are not valid JSON.' };
  }
};

const answerOf = async ({ store }: StepContext, { userId, askId }: ToolCallRow) => {
  if (askId === null) return null;
  const [ask] = await store.find('agentAsks', { userId, id: askId });
  if (ask?.state === 'expired') return { kind: 'approval' as const, approved: false };
  return ask?.answer ?? null;
};

interface Running {
  work: Work;
  tools: ToolSet;
  call: ToolCallRow;
  /** The other calls of its step have ended. */
  isLastOpen: boolean;
  signal: AbortSignal;
}

/** The machine has a record of it: it continues, also where it is no longer offered or allowed. */
const isKnown = async ({ machine }: StepContext, { userId, requestId }: ToolCallRow): Promise<boolean> =>
  requestId !== null && (await machine.stateOf(userId, requestId)) !== 'unknown';

const runTool = async (ctx: StepContext, running: Running): Promise<ToolOutcome> => {
  const { work, call, signal, tools } = running;
  const offered = tools.byName.get(call.tool);
  // A tool that came after the step was written has no id on the machine, and no record of its effect.
  const tool = offered?.effect === call.effect ? offered : undefined;
  if (!tool && (await isKnown(ctx, call))) return followMachineCall(ctx, work.thread, { call, signal });
  if (!tool) return textResult(`There is no tool ${call.tool}. Use one from your list.`, 'failed');
  const read = readArguments(tool, call.arguments);
  if ('problem' in read) return textResult(read.problem, 'failed');
  const answer = await answerOf(ctx, call);
  const refusal = answer === null ? await refusalOf(ctx, running) : null;
  if (refusal !== null && !(await isKnown(ctx, call))) return refusal;
  const use: ToolUse = { ...work, ctx, call, args: read.args, answer, signal };
  if (tool.effect === 'outside' || tool.effect === 'machine') await markRunning(ctx, call);
  return tool.run(use);
};

/** What cannot be repeated is on disk before it runs: after a crash it is not run again. */
const markRunning = async (ctx: StepContext, { userId, id, effect, state }: ToolCallRow) => {
  if (state === 'running') return;
  const where = { userId, id, state: 'planned' as const };
  const durability = effect === 'outside' ? 'synced' : 'kept';
  if (!(await ctx.store.commit([update('agentToolCalls', where, { state: 'running' })], durability)))
    throw errors.conflict({ message: 'The call was ended meanwhile' });
};

/** The agent continues with the end of its last call, in one transaction. */
const toReady = ({ clock }: StepContext, { userId, id }: AgentRow): Write =>
  update('agentAgents', { userId, id, state: 'acting' }, { state: 'ready', lastActiveAt: clock.now() });

const writesOf = async (
  ctx: StepContext,
  { work, call, isLastOpen }: Running,
  outcome: ToolOutcome,
): Promise<Write[]> => {
  const { agent, run } = work;
  switch (outcome.type) {
    case 'ask': {
      const { askTtlMs } = await ctx.config();
      const expiresAt = ctx.clock.now() + askTtlMs;
      return openAsk(ctx, { agent, call, expiresAt }, outcome.ask).writes;
    }
    case 'confirm':
      return openConfirmation(ctx, { agent, call, expiresAt: outcome.expiresAt }, outcome);
    case 'wait':
      return [
        update(
          'agentToolCalls',
          { userId: call.userId, id: call.id, state: ['planned', 'running'] },
          { state: 'waiting' },
        ),
        ...outcome.writes,
      ];
    case 'result': {
      const { areSecretsMasked } = await ctx.config();
      const { source, parts } = outcome;
      const result = prepareResult({ call, run }, parts, { source, areSecretsMasked });
      const isOk = outcome.outcome === 'ok';
      const signature = isOk ? null : failureSignature(call.tool, result.shown);
      const taints = source !== undefined && !agent.tainted;
      return [
        ...endCall(ctx, call, { ...result, outcome: outcome.outcome, signature }),
        ...(outcome.writes ?? []),
        ...(taints ? [update('agentAgents', { userId: agent.userId, id: agent.id }, { tainted: true })] : []),
        ...(isLastOpen ? [toReady(ctx, agent)] : []),
      ];
    }
    default:
      return outcome satisfies never;
  }
};

/** Runs one call of an agent as far as it goes: to its end, or to a question. */
export const runCall = async (ctx: StepContext, running: Running): Promise<TurnEffect[]> => {
  const { signal, call } = running;
  const outcome = await runTool(ctx, running).catch((error: unknown): ToolOutcome | null => {
    // Stop ends the call itself; after a restart it is resumed by its row.
    if (signal.aborted) return null;
    return failureOf(ctx, call, error);
  });
  if (outcome === null || (signal.aborted && outcome.type !== 'result')) return [];
  // What a power cut takes from the disk runs again, or is known to the gateway by its id.
  const isFinal = outcome.type === 'ask' || call.effect === 'outside';
  const writes = await writesOf(ctx, running, outcome);
  const isWritten = await ctx.store.commit(writes, isFinal ? 'synced' : 'kept');
  if (!isWritten) return [];
  // The person may have answered before the question was written.
  if (outcome.type === 'confirm' && call.requestId !== null)
    return onMachineCall(ctx, call.userId, call.requestId);
  return 'effects' in outcome ? (outcome.effects ?? []) : [];
};
