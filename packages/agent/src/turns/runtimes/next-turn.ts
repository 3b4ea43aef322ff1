import { wordsOf } from '../../rows/parts.ts';
import type { AgentNeeds } from '../../ports/needs.ts';
import { eventOf } from '../../rows/events.ts';
import { historyOf, type Work } from '../../rows/load.ts';
import type { RunRow, ToolCallRow } from '../../rows/rows.ts';
import { update } from '../../rows/store.ts';
import type { StoredStep } from '../steps/think.ts';
import { machineFor } from '../../tools/common/runtimes.ts';
import { native, type Route, routeAfter } from './route.ts';
import { startTurn, turnsOf } from './start-turn.ts';

type Needs = Pick<AgentNeeds, 'store' | 'clock' | 'newId' | 'machine' | 'model' | 'config' | 'onBackend'>;
type RunRuntime = NonNullable<RunRow['runtime']>;

/** Why a run ends with its coding agent. */
export interface TurnFailure {
  code: string;
  message: string;
  retryable: boolean;
}

/** What a run does next: a turn, its end, or what its rows say by then. */
export type NextTurn =
  | { do: 'run'; step: StoredStep }
  | { do: 'complete'; result: string }
  | { do: 'fail'; failure: TurnFailure }
  | { do: 'look again' };

const failure = (code: string, message: string, retryable = true): TurnFailure => ({
  code,
  message,
  retryable,
});
const fail = (why: TurnFailure): NextTurn => ({ do: 'fail', failure: why });

/** The person said no, or the call came to no end of its own. */
const failureOf = ({ outcome, shown, turnEvents }: ToolCallRow): TurnFailure => {
  if (outcome === 'denied') return failure('DENIED', shown, false);
  if (outcome === 'lost') return failure('LOST', shown);
  const [, code, text] = /^(RUNTIME_[A-Z_]+): ([^]*)$/.exec(shown) ?? [];
  const began = (turnEvents ?? 0) > 0;
  return failure(code ?? (began ? 'RUNTIME_FAILED' : 'RUNTIME_UNAVAILABLE'), text ?? shown);
};

/** Puts another one in the place of a coding agent that did not begin. */
const fallBack = async (
  ctx: Needs,
  { run, agent }: Work,
  { route, why: { code, message } }: { route: Route; why: TurnFailure },
): Promise<void> => {
  const { userId, id } = run;
  const from = run.runtime?.id ?? native;
  const to = route.runtime?.id ?? native;
  const text = `${from} could not answer: ${code}: ${message} ${to === native ? 'The built-in agent' : to} answers.`;
  const isWritten = await ctx.store.commit(
    [
      update('agentRuns', { userId, id }, { runtime: route.runtime, model: route.model }),
      eventOf(ctx, agent, 'notice', { text }),
    ],
    'synced',
  );
  if (isWritten) ctx.onBackend?.({ audit: 'backend.fallback', userId, runId: id, from, to, code });
};

const unavailable = async (ctx: Needs, { thread }: Work, { id, machineId }: RunRuntime) => {
  const machines = await ctx.machine.runtimes(thread.userId);
  const machine = machines.find((one) => one.id === machineId);
  if (machine?.isPaused) return `The machine ${machine.name} is paused. Resume it in the panel.`;
  if (machine && !machine.isConnected)
    return `The machine ${machine.name} is not connected. Run there: drawbridge connect`;
  if (machineFor(machines, id, machineId)?.id === machineId) return null;
  const where = machine === undefined ? 'the machine' : machine.name;
  return `${id} is not enabled on ${where}. Run there: drawbridge runtimes enable ${id}`;
};

/** The last words that it wrote. */
const resultOf = async ({ store }: Needs, { agent }: Work): Promise<string> => {
  const { userId, threadId, id: agentId } = agent;
  const said = await store.find(
    'agentMessages',
    { userId, threadId, history: historyOf(agent), agentId },
    { orderBy: 'seq', descending: true, limit: 20 },
  );
  return said.map(({ parts }) => wordsOf(parts)).find((words) => words !== '') ?? '';
};

interface Ended {
  work: Work;
  runtime: RunRuntime;
  turns: readonly ToolCallRow[];
}

/**
 * Another try after a turn that did not begin: without its old conversation, unless the person has been asked
 * about it already, or with another backend.
 */
const tryOther = async (ctx: Needs, ended: Ended, why: TurnFailure): Promise<NextTurn | null> => {
  const { work, runtime, turns } = ended;
  const [last] = turns;
  if (last?.outcome === 'failed' && last.askId === null && last.arguments.includes('"session":')) {
    const step = await startTurn(ctx, { ...ended, isFresh: true });
    if (step !== null && step !== 'nothing new') return { do: 'run', step };
  }
  const isDenied = last !== undefined && last.outcome !== 'failed';
  if (runtime.source === 'thread' || isDenied) return null;
  const route = await routeAfter(ctx, work.thread, runtime.id);
  if (route === null) return null;
  await fallBack(ctx, work, { route, why });
  return { do: 'look again' };
};

/** A run's own choice is reported with its start. */
const reportChild = (
  { onBackend }: Needs,
  { agent: { userId, threadId, runId } }: Work,
  { id: runtime, machineId }: RunRuntime,
): void =>
  onBackend?.({
    ...{ audit: 'backend.route', userId, threadId, runId },
    ...{ runtime, source: 'sub-agent', machineId },
  });

/** The next step of what a coding agent answers: a run, or a sub-agent. */
export const nextTurn = async (ctx: Needs, work: Work, runtime: RunRuntime): Promise<NextTurn> => {
  const turns = await turnsOf(ctx, work.agent);
  const [last] = turns;
  const ended = { work, runtime, turns };
  if (last !== undefined && last.outcome !== 'ok') {
    const failed = failureOf(last);
    if ((last.turnEvents ?? 0) > 0) return fail(failed);
    return (await tryOther(ctx, ended, failed)) ?? fail(failed);
  }
  const missing = await unavailable(ctx, work, runtime);
  if (missing !== null) {
    const why = failure('RUNTIME_UNAVAILABLE', missing);
    return (await tryOther(ctx, ended, why)) ?? fail(why);
  }
  const step = await startTurn(ctx, { ...ended, isFresh: false });
  if (step === null) return { do: 'look again' };
  if (step !== 'nothing new' && last === undefined && work.agent.kind !== 'main')
    reportChild(ctx, work, runtime);
  return step === 'nothing new' ? { do: 'complete', result: await resultOf(ctx, work) } : { do: 'run', step };
};
