import { actionTool, turnTool } from '@drawbridge/contracts/machines/runtimes';
import { z } from 'zod';
import type { AgentRows } from '../agent/rows.ts';
import { saidAfter, saidBefore } from '../agent/script.ts';
import type { CallRow } from '../evidence.ts';
import { opIn } from '../marks.ts';
import { grouped, type Facts } from './facts.ts';

// The invariants of the built-in agent. Each gives one sentence a breach.

type EventRow = AgentRows['agentEvents'][number];

const openRunStates = new Set(['active', 'suspended']);

/** The stored events of each thread, in their order. */
const threadsOf = ({ agent }: Facts): [string, EventRow[]][] => {
  const rows = agent.agentEvents.toSorted((a, b) => a.seq - b.seq);
  return [...grouped(rows, ({ userId, threadId }) => `${threadId} of ${userId}`)];
};

export const oneRun = (facts: Facts): string[] =>
  threadsOf(facts).flatMap(([thread, rows]) => {
    let open: string | null = null;
    return rows.flatMap(({ event: { type, runId } }) => {
      if (type !== 'run-start' && type !== 'run-finish') return [];
      const before = open;
      open = type === 'run-start' ? runId : null;
      return type === 'run-start' && before !== null
        ? [`${runId} began in ${thread} while ${before} was open`]
        : [];
    });
  });

const times = (count: number) => `${count} times`;

/** A thread keeps its newest events alone: of a run whose beginning was cut, only its end is counted. */
export const oneEnd = ({ agent }: Facts): string[] => {
  const count = (runId: string, type: string) =>
    (byRun.get(runId) ?? []).filter(({ event }) => event.type === type).length;
  const byRun = grouped(agent.agentEvents, ({ event }) => event.runId);
  return agent.agentRuns.flatMap(({ id, state }) => {
    const [started, ended] = [count(id, 'run-start'), count(id, 'run-finish')];
    const due = openRunStates.has(state) ? 0 : 1;
    return [
      ...(started > 1 ? [`${id} began ${times(started)}`] : []),
      ...(ended !== due && started > 0 ? [`${id} is ${state}, and ended ${times(ended)}`] : []),
    ];
  });
};

/** Without a gap, and as each reader has seen them. */
export const numberedEvents = (facts: Facts): string[] => {
  const userIds = new Map(facts.of('user').map(({ user, userId }) => [user, userId]));
  const threads = new Map(threadsOf(facts));
  const gaps = facts.agent.agentThreads.flatMap(({ userId, id, lastSeq }) => {
    const rows = threads.get(`${id} of ${userId}`) ?? [];
    const first = rows[0]?.seq ?? lastSeq + 1;
    const isWhole = rows.every(({ seq }, at) => seq === first + at) && first + rows.length - 1 === lastSeq;
    return isWhole ? [] : [`${id} of ${userId}: the numbers of its events have a gap`];
  });
  const last = new Map<string, number>();
  const stored = new Map(
    facts.agent.agentEvents.map(({ userId, threadId, seq, event }) => [
      `${threadId} of ${userId} ${seq}`,
      event.type,
    ]),
  );
  const seen = facts.of('event').flatMap(({ user, thread, seq, event }) => {
    const name = `${thread} of ${userIds.get(user)}`;
    const before = last.get(name) ?? 0;
    last.set(name, seq);
    const now = stored.get(`${name} ${seq}`);
    return [
      ...(seq === before + 1 ? [] : [`${name}: event ${seq} came after ${before}`]),
      ...(now === undefined || now === event ? [] : [`${name}: event ${seq} was ${event}, and is ${now}`]),
    ];
  });
  return [...gaps, ...seen];
};

const resultTypes = new Set(['tool-result', 'tool-error', 'tool-interrupted']);

/** Each call has one result: in the requests, in the events, and in its row. */
export const answeredCalls = ({ agent, of }: Facts): string[] => {
  const ends = grouped(agent.agentEvents, ({ event: { type, payload } }) =>
    resultTypes.has(type) && 'toolCallId' in payload ? payload.toolCallId : null,
  );
  const rows = new Map(agent.agentToolCalls.map((row) => [row.id, row]));
  const asked = agent.agentEvents.flatMap(({ event }) =>
    event.type === 'tool-call' ? [event.payload.toolCallId] : [],
  );
  const inHistory = agent.agentMessages.flatMap((message) =>
    message.parts.flatMap(({ toolCallId }) => toolCallId ?? []),
  );
  return [
    ...of('model-request').flatMap(({ op, wrong }) => wrong.map((one) => `a request about ${op}: ${one}`)),
    ...asked.flatMap((id) => {
      const count = ends.get(id)?.length ?? 0;
      return count === 1 ? [] : [`${id} ended ${times(count)}`];
    }),
    ...inHistory.flatMap((id) =>
      rows.get(id)?.state === 'ended' ? [] : [`${id} is in a history without a result`],
    ),
  ];
};

/** At the end nothing is open, and after no kill an open row was without the row that closes it. */
export const nothingLeft = (facts: Facts): string[] => {
  const { agentRuns, agentAgents, agentToolCalls, agentAsks } = facts.agent;
  const open = [
    ...agentRuns.filter(({ state }) => openRunStates.has(state)),
    ...agentAgents.filter(({ state }) => state !== 'ended'),
    ...agentToolCalls.filter(({ state }) => state !== 'ended'),
    ...agentAsks.filter(({ state }) => state === 'open'),
  ];
  const calls = facts.calls.filter(({ door, endedAt }) => door === 'agent' && endedAt === null);
  return [
    ...open.map(({ id, state }) => `${id} is ${state}`),
    ...calls.map(({ requestId, state }) => `the call ${requestId} of the agent is ${state}`),
    ...facts.of('wrong-row').map(({ rule, row }) => `after a kill: ${rule}, ${row}`),
  ];
};

const effects = new Set(['machine', 'outside']);

/** The calls of the agent that may change something, with the times that their effect is known to have happened. */
const effectsOf = (facts: Facts) => {
  const rung = grouped(facts.of('rung'), ({ op }) => op);
  return facts.agent.agentToolCalls.flatMap((call) => {
    const op = opIn(call.arguments);
    if (op === undefined || !effects.has(call.effect) || call.tool === turnTool) return [];
    const ran = call.effect === 'outside' ? (rung.get(op) ?? []).map(({ at }) => at) : facts.runsOf(op);
    return [{ call, op, ran }];
  });
};

/** The turn that an action belongs to that did not run, such as one that was opened while the turn was stopped. */
const turnOf = ({ tool, started, state, arguments: args }: CallRow): string => {
  // A call that timed out or was lost may not have run.
  const hasRun = started !== 0 && state !== 'timed-out' && state !== 'lost';
  if (tool !== actionTool || hasRun) return '';
  return z.looseObject({ turn: z.string() }).parse(JSON.parse(args)).turn;
};

export const effectsOnce = (facts: Facts): string[] => {
  const found = effectsOf(facts);
  const byOp = grouped(found, ({ op }) => op);
  const rows = new Set(facts.agent.agentToolCalls.flatMap(({ requestId }) => requestId ?? []));
  return [
    ...[...byOp].flatMap(([op, calls]) =>
      calls.length > 1 ? [`${op} became ${calls.length} tool calls`] : [],
    ),
    ...found.flatMap(({ call, op, ran }) =>
      ran.length > 1 ? [`${call.id} (${op}) took effect ${times(ran.length)}`] : [],
    ),
    ...found.flatMap(({ call, op, ran }) =>
      call.outcome === 'ok' && call.tool !== 'read_file' && ran.length === 0
        ? [`${call.id} (${op}) is ok, and took no effect`]
        : [],
    ),
    ...facts.calls.flatMap((call) =>
      call.door === 'agent' && !rows.has(call.requestId) && !rows.has(turnOf(call))
        ? [`the call ${call.requestId} belongs to no tool call`]
        : [],
    ),
  ];
};

/** A denied or skipped call has no effect, an MCP tool none before its question was allowed, nor a denied plan. */
export const obeyed = (facts: Facts): string[] => {
  const asks = new Map(facts.agent.agentAsks.map((ask) => [ask.id, ask]));
  const plans = facts.agent.agentToolCalls.filter(
    ({ tool, askId }) => tool === 'plan' && asks.get(askId ?? '')?.answer?.approved !== true,
  );
  return [
    ...effectsOf(facts).flatMap(({ call, op, ran }) => {
      if (ran.length === 0) return [];
      const isRefused = call.outcome === 'denied' || call.outcome === 'skipped';
      if (isRefused) return [`${call.id} (${op}) took effect, and ended as ${call.outcome}`];
      if (call.effect !== 'outside') return [];
      const ask = asks.get(call.askId ?? '');
      const allowedAt = ask?.answer?.approved === true ? (ask.closedAt ?? Infinity) : Infinity;
      return ran.some((at) => at !== null && at < allowedAt) ? [`${call.id} (${op}) ran unasked`] : [];
    }),
    ...plans.flatMap(({ id, arguments: text }) =>
      (text.match(/op-\d{6}/g) ?? [])
        .filter((op) => facts.runsOf(op).length > 0)
        .map((op) => `${op} ran, and the plan of ${id} was not approved`),
    ),
  ];
};

/** What a coding agent says is in its thread once: at most, and exactly where its run completed. */
export const saidOnce = ({ agent, of }: Facts): string[] => {
  const texts = new Map(
    [...grouped(agent.agentEvents, ({ threadId }) => threadId)].map(([thread, rows]) => [
      thread,
      rows.map(({ event }) => (event.type === 'text-block' ? event.payload.text : '')).join('\n'),
    ]),
  );
  const byRun = grouped(agent.agentEvents, ({ event }) => event.runId);
  const isWhole = (runId: string) => byRun.get(runId)?.[0]?.event.type === 'run-start';
  const turns = grouped(agent.agentToolCalls, ({ tool, runId }) => (tool === turnTool ? runId : null));
  const completed = new Set(
    agent.agentRuns.flatMap(({ id, state }) => (state === 'completed' && turns.has(id) ? [id] : [])),
  );
  const replies = new Map(of('said-reply').map(({ op, reply }) => [op, reply]));
  return of('said').flatMap(({ work, op, thread }) => {
    if (work !== 'coding') return [];
    const run = replies.get(op) ?? '';
    const least = completed.has(run) && isWhole(run) ? 1 : 0;
    return [saidBefore(op), saidAfter(op)].flatMap((words) => {
      const count = (texts.get(thread) ?? '').split(words).length - 1;
      return count > 1 || count < least ? [`"${words}" is in ${thread} ${times(count)}`] : [];
    });
  });
};

/**
 * Of several servers: no step of the agent was written by one that did not drive its thread. What a coding agent
 * writes during its turn is stored by the server that its machine posts to (decision 0087).
 */
export const driven = ({ steps, agent }: Facts): string[] => {
  const posted = agent.agentMessages.flatMap(({ id, sender, parts }) =>
    sender?.startsWith('runtime:') && parts.every(({ tool }) => tool !== turnTool) ? [id] : [],
  );
  const isPosted = new Set(posted);
  return steps.flatMap(({ messageId, threadId, server, driver }) =>
    driver === server || isPosted.has(messageId)
      ? []
      : [`${messageId} in ${threadId} was written by ${server}, while ${driver} drove it`],
  );
};

/** What was acknowledged holds: one answer to each question; a stop has ended each run that it found. */
export const acknowledged = (facts: Facts): string[] => {
  const asks = new Map(facts.agent.agentAsks.map((ask) => [ask.id, ask]));
  // The machine's questions are confirmations: I4 has them.
  const own = facts.of('ask-answered').filter(({ ask }) => ask.startsWith('ask_'));
  const won = own.filter(({ status }) => status === 200);
  const answers = [...grouped(won, ({ ask }) => ask)].flatMap(([id, all]) => {
    const ask = asks.get(id);
    return [
      ...(all.length > 1 ? [`${id} was answered ${times(all.length)}`] : []),
      ...(ask?.state === 'answered' ? [] : [`${id} was answered, and is ${ask?.state}`]),
    ];
  });
  const stops = facts.of('acted').filter(({ act, status }) => act === 'stop' && status === 200);
  const ends = new Map(facts.agent.agentRuns.map(({ id, endedAt }) => [id, endedAt ?? Infinity]));
  const begun = facts.of('said-reply').filter(({ reply }) => ends.has(reply));
  const stopped = stops.flatMap(({ at, user, thread, askedAt }) =>
    begun.flatMap((said) => {
      const isFound = said.user === user && said.thread === thread && said.at < askedAt;
      return isFound && (ends.get(said.reply) ?? 0) > at
        ? [`${said.reply} went on after it was stopped`]
        : [];
    }),
  );
  return [...answers, ...stopped];
};
