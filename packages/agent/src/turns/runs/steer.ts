import type { AgentNeeds } from '../../ports/needs.ts';
import { agentLimits } from '../../rows/limits.ts';
import { nextSeq, openCallsOf } from '../../rows/load.ts';
import { type AgentRow, type AskRow, mainHistory, type RunRow, type ToolCallRow } from '../../rows/rows.ts';
import { isFromOutside } from '../../rows/sender.ts';
import { openAgentStates, openRunStates } from '../../rows/states.ts';
import { update, type Write } from '../../rows/store.ts';
import type { ToolContext } from '../../tools/common/tool.ts';
import type { TurnEffect } from '../effects.ts';
import type { Withdrawals } from '../ends/resume-calls.ts';
import { closeCalls, openAsksOf, withdrawAsks } from '../ends/stop.ts';
import { messageWrites, type NewMessage } from './start-run.ts';

export type SteerNeeds = Pick<AgentNeeds, 'store' | 'clock' | 'newId' | 'machine'> &
  Pick<ToolContext, 'stopAgents'> &
  Withdrawals;

/** An answer that came before its question is withdrawn lets it run. */
const willNeverRun = async (ctx: SteerNeeds, { userId, requestId }: ToolCallRow): Promise<boolean> => {
  if (requestId === null) return true;
  if ((await ctx.machine.stateOf(userId, requestId)) === 'open') return false;
  ctx.withdrawing.add(requestId);
  return ctx.machine.cancel(userId, requestId);
};

/**
 * Cancels the open calls of an agent that have not begun on the machine; `continuing` counts the others. Call
 * `release` when their ends are stored.
 */
const skipCalls = async (ctx: SteerNeeds, agent: AgentRow) => {
  const open = await openCallsOf(ctx, agent);
  const skipped: ToolCallRow[] = [];
  for (const call of open)
    if (call.state !== 'running' && (await willNeverRun(ctx, call))) skipped.push(call);
  const release = () => {
    for (const { requestId } of open) if (requestId !== null) ctx.withdrawing.delete(requestId);
  };
  const running = new Set(open.filter(({ state }) => state === 'running').map(({ id }) => id));
  return { skipped, running, continuing: open.length - skipped.length, release };
};

/** Undefined where a call that was running asks by now: without its question it would wait for nothing. */
const withdrawnOf = async (
  ctx: SteerNeeds,
  agent: AgentRow,
  running: ReadonlySet<string>,
): Promise<AskRow[] | undefined> => {
  const asks = await openAsksOf(ctx, agent);
  const isAsking = asks.some(({ toolCallId }) => toolCallId !== null && running.has(toolCallId));
  return isAsking ? undefined : asks;
};

const skippedText = 'Not run: the person sent a new message first.';

interface Steering {
  messages: readonly NewMessage[];
  writes: Write[];
}

/** `isSteered`: false if the run has ended, or for one try, if its main agent has continued meanwhile. */
interface Steered {
  isSteered: boolean;
  effects: TurnEffect[];
}

/** One try. */
const steerMain = async (
  ctx: SteerNeeds,
  { run, main }: { run: RunRow; main: AgentRow },
  { messages, writes }: Steering,
): Promise<Steered> => {
  const { userId, id, state, steps } = main;
  const { skipped, running, continuing, release } = await skipCalls(ctx, main);
  const asks = await withdrawnOf(ctx, main, running);
  if (asks === undefined) {
    release();
    return { isSteered: false, effects: [] };
  }
  const seq = await nextSeq(ctx, { ...run, history: mainHistory });
  const steered = messages.map((message) => ({ ...message, source: 'steered' as const }));
  const said = messageWrites(ctx, run, { messages: steered, seq });
  // Calls that still run end first.
  const next = continuing === 0 && (state === 'asking' || state === 'ready') ? 'ready' : 'acting';
  const isWritten = await ctx.store.commit(
    [
      ...writes,
      ...closeCalls(ctx, skipped, { outcome: 'skipped', text: skippedText, asks }),
      ...withdrawAsks(ctx, asks),
      update(
        'agentAgents',
        { userId, id, state, steps },
        { state: next, ...(isFromOutside(run, messages) && { tainted: true }) },
      ),
      update(
        'agentRuns',
        { userId, id: run.id, state: openRunStates, stopAskedAt: null },
        { state: 'active' },
      ),
      ...said.rows,
      ...said.events,
    ],
    'synced',
  );
  release();
  const effects: TurnEffect[] = [
    ...(isWritten ? [{ type: 'dropModelCall', agent: main } as const] : []),
    { type: 'wake', userId, agentId: id },
  ];
  return { isSteered: isWritten, effects };
};

/**
 * Puts messages into the open run: a model call is dropped, calls that run continue to their end, the others
 * are skipped, questions are withdrawn.
 */
export const steer = async (ctx: SteerNeeds, run: RunRow, steering: Steering): Promise<Steered> => {
  const where = { userId: run.userId, runId: run.id, state: openAgentStates };
  const effects: TurnEffect[] = [];
  for (let attempt = 0; attempt < agentLimits.commitTries; attempt += 1) {
    const delegates = await ctx.store.find('agentAgents', { ...where, kind: 'delegate' });
    await ctx.stopAgents(delegates, 'cancelled');
    const [main] = await ctx.store.find('agentAgents', { ...where, kind: 'main' });
    if (!main) break;
    const tried = await steerMain(ctx, { run, main }, steering);
    effects.push(...tried.effects);
    if (tried.isSteered) return { isSteered: true, effects };
  }
  return { isSteered: false, effects };
};
