import { actionTool, type RuntimeEvent, type TurnProgress } from '@drawbridge/contracts/machines/runtimes';
import { maxTasks, type TaskItem } from '@drawbridge/contracts/agent/tasks';
import type { AgentNeeds } from '../../ports/needs.ts';
import { prepareResult } from '../../prompt/result.ts';
import { eventOf } from '../../rows/events.ts';
import { historyOf } from '../../rows/load.ts';
import type { ThreadRow, ToolCallRow } from '../../rows/rows.ts';
import { runtimeKey } from '../../rows/sender.ts';
import { openCallStates } from '../../rows/states.ts';
import { insert, update, type Write } from '../../rows/store.ts';
import { closeAsk, closeConfirmation, openAsk } from '../../tools/common/asks.ts';
import { endCall } from '../ends/end-call.ts';
import { createSpeaker, type OpenTurn, stepOf } from '../ends/runtime-words.ts';

type Needs = Pick<AgentNeeds, 'store' | 'clock' | 'newId' | 'config'>;
const outcomes = { completed: 'ok', failed: 'failed', denied: 'denied' } as const;

const toTask = ({ text, status }: { text: string; status: string }, at: number): TaskItem => ({
  id: `plan-${at + 1}`,
  description: text.slice(0, 500) || '-',
  status: status === 'completed' ? 'done' : status === 'in_progress' ? 'in_progress' : 'todo',
});

type Speaker = Awaited<ReturnType<typeof createSpeaker>>;
type Of<Type extends RuntimeEvent['type']> = Extract<RuntimeEvent, { type: Type }>;

/** The actions of a turn as calls of the thread: what asks and ends them finds them by their numbers. */
const createActions = async (ctx: Needs, { call, agent, runtime }: OpenTurn, { say }: Speaker) => {
  const { userId, runId } = call;
  const known = await ctx.store.find('agentToolCalls', { userId, turnId: call.id });
  const actions = new Map(known.map((row) => [row.n, row]));
  const own = await ctx.store.find('agentAsks', { userId, runId, state: 'open' });
  const asks = new Map(own.map((row) => [row.toolCallId, row]));
  const { askTtlMs } = await ctx.config();
  const close = (row: ToolCallRow): Write[] => {
    const ask = asks.get(row.id);
    if (row.state !== 'waiting') return [];
    return ask ? closeAsk(ctx, ask, { outcome: 'withdrawn' }) : [closeConfirmation(ctx, row, 'withdrawn')];
  };
  const open = (n: number): ToolCallRow | undefined => {
    const row = actions.get(n);
    return row?.state === 'ended' ? undefined : row;
  };
  return {
    begin: ({ n, kind, title }: Of<'action'>, step: number): Write[] => {
      const args = { runtime: runtime.id, kind, title };
      const id = ctx.newId('tc_');
      const row: ToolCallRow = {
        ...call,
        ...{ id, step, n, tool: actionTool, arguments: JSON.stringify(args), effect: 'machine' },
        ...{ state: 'running', requestId: null, askId: null, turnEvents: null, turnId: call.id },
        startedAt: ctx.clock.now(),
      };
      actions.set(n, row);
      const said = { type: 'tool-call', toolCallId: id, tool: actionTool, arguments: row.arguments } as const;
      const shown = eventOf(ctx, agent, 'tool-call', { toolCallId: id, toolName: actionTool, args });
      return [insert('agentToolCalls', row), say([said], step), shown];
    },
    ask: ({ n, requestId }: Of<'asked'>): Write[] => {
      const row = open(n);
      if (row === undefined) return [];
      actions.set(n, { ...row, requestId });
      return [update('agentToolCalls', { userId, id: row.id, state: row.state }, { requestId })];
    },
    /** It allows nothing: the answer is words for the coding agent. */
    form: ({ n, message, questions, plan }: Of<'form'>): Write[] => {
      const row = open(n);
      if (row === undefined || row.askId !== null) return [];
      const asking = { agent, call: row, expiresAt: ctx.clock.now() + askTtlMs };
      const ask = openAsk(ctx, asking, {
        ...{ inputType: 'questions', severity: 'info', message, questions },
        ...(plan !== undefined && { introMessage: plan }),
      });
      actions.set(n, { ...row, state: 'waiting', askId: ask.id });
      asks.set(row.id, ask.row);
      return ask.writes;
    },
    end: ({ n, status, text }: Of<'action-end'>): Write[] => {
      const row = open(n);
      if (row === undefined) return [];
      actions.set(n, { ...row, state: 'ended' });
      const source = { source: runtimeKey(runtime.id), areSecretsMasked: true };
      const result = prepareResult({ call: row, run: { id: runId } }, [{ type: 'text', text }], source);
      return [
        ...close(row),
        // A question that opens or closes meanwhile undoes this, and it is tried again.
        ...endCall(ctx, row, { ...result, outcome: outcomes[status], signature: null, from: [row.state] }),
      ];
    },
  };
};

/** The writes of one event. */
const createWriter = async (ctx: Needs, turn: OpenTurn) => {
  const { runtime, agent } = turn;
  const { userId, threadId } = agent;
  const speaker = await createSpeaker(ctx, turn);
  const actions = await createActions(ctx, turn, speaker);
  const { block } = speaker;
  const setThread = (set: Partial<ThreadRow>) => update('agentThreads', { userId, id: threadId }, set);

  return (event: RuntimeEvent, step: number): Write[] => {
    switch (event.type) {
      case 'session': {
        const { id, machineId, folder } = runtime;
        const session = { id, machineId, folder, session: event.session };
        return agent.kind === 'main'
          ? [setThread({ runtimeSession: session })]
          : [update('agentAgents', { userId, id: historyOf(agent) }, { runtime: session })];
      }
      case 'text':
      case 'thought':
        return block(event, step);
      case 'action':
        return actions.begin(event, step);
      case 'asked':
        return actions.ask(event);
      case 'action-end':
        return actions.end(event);
      case 'form':
        return actions.form(event);
      case 'plan': {
        // The list of a chat is that of its main agent.
        if (agent.kind !== 'main') return [];
        const tasks = event.items.slice(0, maxTasks).map(toTask);
        return [setThread({ tasks }), eventOf(ctx, agent, 'tasks-update', { tasks: { tasks } })];
      }
      case 'notice':
        return [eventOf(ctx, agent, 'notice', { text: event.text })];
      default:
        return event satisfies never;
    }
  };
};

/**
 * The writes for events that are not stored yet, and how many are stored then; null where there is nothing
 * new, or events before them are missing. `isOpen`: the call of the turn has to be open.
 */
export const eventWrites = async (
  ctx: Needs,
  turn: OpenTurn,
  { from, events, isOpen }: Pick<TurnProgress, 'from' | 'events'> & { isOpen: boolean },
): Promise<{ writes: Write[]; stored: number } | null> => {
  const { userId, id, turnEvents } = turn.call;
  const known = turnEvents ?? 0;
  if (turnEvents === null || from > known || from + events.length <= known) return null;
  const writesOf = await createWriter(ctx, turn);
  const writes = events
    .slice(known - from)
    .flatMap((event, at) => writesOf(event, stepOf(turn.call, known + at)));
  const stored = from + events.length;
  const where = { userId, id, turnEvents: known, ...(isOpen && { state: openCallStates }) };
  return { writes: [update('agentToolCalls', where, { turnEvents: stored }), ...writes], stored };
};
