import type { TurnProgress } from '@drawbridge/contracts/machines/runtimes';
import type { AgentNeeds } from '../../ports/needs.ts';
import type { TurnReply, TurnReport } from '../../ports/machine.ts';
import { agentLimits } from '../../rows/limits.ts';
import { runtimeOf, workOf } from '../../rows/load.ts';
import type { ToolCallRow } from '../../rows/rows.ts';
import { openCallStates } from '../../rows/states.ts';
import { formAnswers } from './form-answers.ts';
import { askForAction } from '../ends/ask-for-action.ts';
import { type OpenTurn, stepOf } from '../ends/runtime-words.ts';
import { eventWrites } from './events.ts';

type Needs = Pick<AgentNeeds, 'store' | 'clock' | 'newId' | 'machine' | 'bus' | 'config'>;

/** A call of a thread that is the turn of a coding agent, while it is open. */
export const turnCallOf = async (
  { store }: Pick<AgentNeeds, 'store'>,
  { userId, requestId }: Pick<TurnReport, 'userId' | 'requestId'>,
): Promise<ToolCallRow | undefined> => {
  const [call] = await store.find('agentToolCalls', { userId, requestId, state: openCallStates });
  return call?.turnEvents == null ? undefined : call;
};

/** The newest piece of what it writes, for readers; it is stored once it is whole. */
const showText = ({ bus, clock }: Needs, { call }: OpenTurn, turn: TurnProgress, stored: number) => {
  const { text, from, events } = turn;
  if (text === undefined || from + events.length !== stored) return;
  const { userId, threadId, runId, agentId } = call;
  bus.live(userId, threadId, {
    type: text.type === 'text' ? 'text-delta' : 'reasoning-delta',
    ...{ runId, agentId, ts: clock.now() },
    payload: { text: text.text, step: stepOf(call, stored), offset: text.offset },
  });
};

/** Stores what is new of a turn; undefined where it is no turn of a thread. */
const storeTurn = async (
  ctx: Needs,
  { userId, requestId }: TurnReport,
  turn: TurnProgress,
): Promise<number | undefined> => {
  for (let attempt = 0; attempt < agentLimits.commitTries; attempt += 1) {
    const call = await turnCallOf(ctx, { userId, requestId });
    const work = call && (await workOf(ctx, userId, call.agentId));
    const runtime = work && runtimeOf(work);
    if (!call || !runtime) return undefined;
    const open = { call, agent: work.agent, runtime };
    const fresh = await eventWrites(ctx, open, { ...turn, isOpen: true });
    const stored = fresh?.stored ?? call.turnEvents ?? 0;
    if (fresh !== null && !(await ctx.store.commit(fresh.writes, 'kept'))) continue;
    for (const event of fresh === null ? [] : turn.events) {
      if (event.type !== 'asked') continue;
      const [action] = await ctx.store.find('agentToolCalls', { userId, requestId: event.requestId });
      if (action) await askForAction(ctx, action);
    }
    showText(ctx, open, turn, stored);
    return stored;
  }
  return undefined;
};

/** Stores what is new of a turn, and gives what came of its forms. */
export const onTurn = async (ctx: Needs, report: TurnReport): Promise<TurnReply> => {
  const { turn, forms } = report;
  const turnEvents = turn && (await storeTurn(ctx, report, turn));
  const call = forms.length === 0 ? undefined : await turnCallOf(ctx, report);
  return { turnEvents, answers: call ? await formAnswers(ctx, call, forms) : [] };
};
