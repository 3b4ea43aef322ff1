import { actionTool, turnTool } from '@drawbridge/contracts/machines/runtimes';
import type { CallRow } from '../evidence.ts';
import { terminal, type Facts } from './facts.ts';

// The invariants of calls, decisions and results. Each gives one sentence a breach.

const saysYes = new Set(['allowOnce', 'allowForSession', 'alwaysAllow']);

/** A read leaves no mark; of an action of a coding agent the call is its yes alone. */
const leavesMarks = ({ tool }: CallRow) => tool !== 'read_file' && tool !== actionTool;

export const executions = (facts: Facts): string[] => [
  ...facts.ranOps.flatMap((op) => {
    const times = facts.runsOf(op).length;
    return times > 1 ? [`${op} ran ${times} times`] : [];
  }),
  ...new Set(
    facts.calls.flatMap(({ op }) =>
      op !== null && facts.callsOfOp(op).length > 1 ? [`${op} became more than one call`] : [],
    ),
  ),
  ...facts.calls.flatMap((row) => {
    if (row.op === null || row.state !== 'succeeded' || !leavesMarks(row)) return [];
    return facts.runsOf(row.op).length === 0 ? [`${row.op} succeeded, and did not run`] : [];
  }),
];

/** The calls whose tool asks the person, on the machine of the call's user. */
const askingOps = (facts: Facts): Set<string> => {
  const asks = new Map(facts.of('user').map((one) => [one.user, one.asks]));
  const asking = facts.of('asked').filter(({ user, tool }) => asks.get(user)?.includes(tool));
  return new Set(asking.map(({ op }) => op));
};

export const permissions = (facts: Facts): string[] => {
  const asking = askingOps(facts);
  return facts.ranOps.flatMap((op) => {
    const [row] = facts.callsOfOp(op);
    if (!row) return [`${op} ran, and no call of it is written down`];
    const ranAt = facts.runsOf(op)[0] ?? null;
    if (ranAt !== null && ranAt < row.createdAt) return [`${op} ran before its call was made`];
    if (!asking.has(op)) return [];
    const allowed = facts
      .confirmationsOf(row.requestId)
      .find((one) => one.approved === 1 && saysYes.has(one.decision ?? ''));
    if (!allowed) return [`${op} ran without a permission`];
    const decidedAt = allowed.decidedAt ?? Number.POSITIVE_INFINITY;
    return ranAt !== null && ranAt < decidedAt ? [`${op} ran before it was allowed`] : [];
  });
};

const whyNot = (facts: Facts, row: CallRow): string | undefined => {
  const last = facts.confirmationsOf(row.requestId).at(-1);
  if (last?.approved === 0) return 'it was denied';
  if (last !== undefined && last.state !== 'decided') return `its question was ${last.state}`;
  if (row.state === 'denied') return 'it ended as denied';
  if (row.started === 0) return `it ended as ${row.state}, not started`;
  return undefined;
};

/** TERM, two seconds, KILL, and time for a slow machine. */
const stopMs = 5_000;

/** Commands that continued although their healthy daemon received the cancel. */
const wentOn = (facts: Facts): Set<string> => {
  const passed = new Map(facts.of('passed').map((one) => [`${one.user} ${one.stream} ${one.id}`, one.at]));
  const times = new Map(facts.marks.map(({ op, what, at }) => [`${op} ${what}`, at]));
  const cancels = facts.of('frame').filter(({ event }) => event === 'tool-call-cancel');
  const late = cancels.flatMap(({ user, stream, id, requestId }) => {
    const call = facts.callOf(requestId ?? '');
    // A process that has started before goes on.
    const op = call?.tool === 'process_start' ? '' : (call?.op ?? '');
    const [from, to] = [times.get(`${op} begins`), times.get(`${op} ends`)];
    const toldAt = passed.get(`${user} ${stream} ${id}`);
    if (from === undefined || to === undefined || toldAt === undefined) return [];
    return to > toldAt + stopMs && !facts.disturbed(user, { from, to }) ? [op] : [];
  });
  return new Set(late);
};

export const processOutput = (facts: Facts): string[] =>
  facts.of('process-read').flatMap(({ op, wrong }) => wrong.map((what) => `the process of ${op} ${what}`));

export const refusals = (facts: Facts): string[] => {
  const went = wentOn(facts);
  return facts.ranOps.flatMap((op) => [
    ...facts.callsOfOp(op).flatMap((row) => {
      const why = whyNot(facts, row);
      return why === undefined ? [] : [`${op} ran, but ${why}`];
    }),
    ...(went.has(op) ? [`${op} went on after it was cancelled`] : []),
  ]);
};

export const decisions = (facts: Facts): string[] => {
  const winners = new Set<string>();
  return facts.of('decided').flatMap(({ confirmationId, approved, decision }) => {
    const twice = winners.has(confirmationId);
    winners.add(confirmationId);
    if (twice) return [`${confirmationId} was acknowledged twice`];
    const row = facts.confirmations.find((one) => one.id === confirmationId);
    const kept = row?.state === 'decided' && row.approved === Number(approved) && row.decision === decision;
    return kept ? [] : [`${confirmationId} was acknowledged as ${decision ?? approved}, and is not kept so`];
  });
};

/** After a restart the server waits this long for daemons and their answers. */
const restartMs = 90_000;
/** A stopped process, a store that is tried again. */
const slackMs = 20_000;

const askedMs = (facts: Facts, row: CallRow): number =>
  facts
    .confirmationsOf(row.requestId)
    .reduce((sum, one) => sum + ((one.decidedAt ?? row.endedAt ?? one.createdAt) - one.createdAt), 0);

const late = (facts: Facts, row: CallRow, callMaxMs: number): boolean => {
  // A turn of a coding agent is kept open by what it does.
  if (row.endedAt === null || row.tool === turnTool) return false;
  const ready = facts.of('server-ready').map((one) => one.at);
  const lastReady = ready.filter((at) => at <= (row.endedAt ?? 0)).at(-1) ?? 0;
  const latest = Math.max(row.createdAt + askedMs(facts, row) + callMaxMs, lastReady + restartMs);
  return row.endedAt > latest + slackMs;
};

/** A call is lost with a daemon that died, not otherwise. */
const lostForNothing = (facts: Facts, row: CallRow): boolean => {
  if (row.state !== 'lost' || row.endedAt === null) return false;
  const user = facts.of('user').find((one) => one.userId === row.userId)?.user ?? -1;
  return !facts.disturbed(user, { from: row.createdAt, to: row.endedAt });
};

/** How long Postgres may hold what was written without waiting for the disk; a crash is noted before it is made. */
const unsyncedMs = 1_000;

const isUnsynced = (facts: Facts): ((at: number) => boolean) => {
  const crashes = facts.of('fault').filter(({ what }) => what === 'postgres crash');
  return (at) => crashes.some((crash) => Math.abs(crash.at - at) <= unsyncedMs);
};

/** A kill is noted before it is made, and an answer when it has arrived. */
const trailingMs = 200;

/** When the server gave a call its id, which begins with the time: a store that hangs makes that late. */
const openedAt = (requestId: string): number => parseInt(requestId.slice(0, 9), 36);

/** Calls that only read, whose rows went with a crash of the store: they are not synced (decision 0006). */
const lostWithStore = (facts: Facts): Set<string> => {
  const unsynced = isUnsynced(facts);
  const sent = new Set(
    facts
      .of('frame')
      .filter(({ at }) => unsynced(at))
      .map(({ requestId }) => requestId),
  );
  const reads = new Set(facts.of('asked').flatMap(({ op, tool }) => (tool === 'read' ? [op] : [])));
  // Without a frame: its machine was away.
  const answered = facts
    .of('answered')
    .filter(({ op, requestId }) => reads.has(op) && (sent.has(requestId) || unsynced(openedAt(requestId))));
  return new Set(answered.map(({ requestId }) => requestId).filter((id) => !facts.callOf(id)));
};

export const deadlines = (facts: Facts): string[] => {
  const callMaxMs = facts.of('begun')[0]?.callMaxMs ?? 0;
  const heardOf = new Set([...facts.of('seen'), ...facts.of('answered')].map((one) => one.requestId));
  const gone = lostWithStore(facts);
  return [
    ...[...heardOf].flatMap((id) =>
      facts.callOf(id) || gone.has(id) ? [] : [`${id} was shown, and is not written down`],
    ),
    ...facts.calls.flatMap((row) => {
      const ended = row.endedAt !== null && terminal.has(row.state);
      return ended ? [] : [`${row.requestId} (${row.op}) has not ended: ${row.state}`];
    }),
    ...facts.calls.flatMap((row) =>
      late(facts, row, callMaxMs) ? [`${row.requestId} (${row.op}) ended too late, as ${row.state}`] : [],
    ),
    ...facts.calls.flatMap((row) =>
      lostForNothing(facts, row) ? [`${row.requestId} (${row.op}) was lost, and its daemon was well`] : [],
    ),
  ];
};

export const states = (facts: Facts): string[] => {
  const last = new Map<string, string>();
  const breaches: string[] = [];
  const see = (requestId: string, state: string) => {
    const before = last.get(requestId);
    if (before !== undefined && terminal.has(before) && state !== before)
      breaches.push(`${requestId} was ${before}, then ${state}`);
    else last.set(requestId, state);
  };
  const unsynced = isUnsynced(facts);
  // A server that is alone answers a read up to 10 ms before its end is stored (decision 0164).
  const isAlone = facts.of('begun')[0]?.servers === 1;
  const kills = isAlone ? facts.of('fault').filter(({ what }) => what === 'server kill') : [];
  const untold = (at: number) => kills.some((kill) => Math.abs(kill.at - at) <= trailingMs);
  // The end of a read may go with the store, too.
  const shown = facts.history
    .filter((one) => one.type === 'seen' || one.type === 'answered' || one.type === 'cancelled')
    .filter(
      ({ at, requestId }) => facts.callOf(requestId)?.tool !== 'read_file' || !(unsynced(at) || untold(at)),
    );
  // An answer on its way may be overtaken by a look at the list: only what ends is compared.
  for (const { requestId, state } of shown) if (terminal.has(state)) see(requestId, state);
  for (const { requestId, state } of facts.calls) see(requestId, state);
  return breaches;
};

/** Ops that a text speaks of, beside its own. */
const strangers = (text: string, own: string | null): string[] =>
  (text.match(/op-\d{6}/g) ?? []).filter((op) => op !== own);

const answers = (facts: Facts): string[] => {
  const lost = lostWithStore(facts);
  return facts.of('answered').flatMap(({ op, requestId, result }) => {
    if (!lost.has(requestId) && facts.callOf(requestId)?.op !== op)
      return [`${op} was answered with another call, ${requestId}`];
    return strangers(result ?? '', op).map((other) => `${op} was answered with the result of ${other}`);
  });
};

export const results = (facts: Facts): string[] => [
  ...answers(facts),
  ...facts.calls.flatMap(({ op, requestId, state, result }) => {
    if (state === 'succeeded' && result === null) return [`${requestId} succeeded without a result`];
    return strangers(result ?? '', op).map((other) => `${requestId} (${op}) holds the result of ${other}`);
  }),
  ...facts.of('seen').flatMap(({ user, requestId }) => {
    const owner = facts.callOf(requestId)?.userId;
    const userId = facts.of('user').find((one) => one.user === user)?.userId;
    return owner === undefined || owner === userId ? [] : [`${requestId} was shown to user ${user}`];
  }),
];
