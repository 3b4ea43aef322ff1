import { isOpenState, type CallFilter, type CallMaker, type CallState } from '@drawbridge/contracts/calls';
import { nextMacrotask, type Clock } from '@drawbridge/kit';
import { sql, type ExpressionBuilder, type Kysely } from 'kysely';
import { dialectOf, type Dialect, type Schema } from '../../../db/index.ts';
import type { CallHead } from '../call.ts';
import { headColumns, readHead } from './call-row.ts';
import { lastTime } from '../../columns.ts';
import { readAround } from './calls-around.store.ts';

/** Whose calls: all of a user, or those that came through one token, client or chat. */
export interface CallOwner {
  userId: string;
  via: { kind: string; id: string } | undefined;
}

/** A place in the order of calls; the ones behind it are older. */
interface Position {
  createdAt: number;
  requestId: string;
}

/** What is counted apart, each call once. */
const countedEnds = ['asked', 'denied', 'failed'] as const;
const failedStates = ['failed', 'timed-out', 'lost'] as const;

/** How far one request looks through calls that do not fit. */
const lookLimits = {
  /** Calls of the first part; other work of the process goes on before the next one. */
  callsAtOnce: 50_000,
  longestMs: 80,
};
const slowPartMs = 20;
const fastPartMs = 5;

const cursorText = /^(\d{1,16})\.([A-Za-z0-9_-]{1,64})$/;
const newest: Position = { createdAt: lastTime, requestId: '~' };
/** Behind every call of that time. */
const afterTime = (createdAt: number): Position => ({ createdAt, requestId: '-' });

const cursorOf = ({ createdAt, requestId }: Position): string => `${createdAt}.${requestId}`;

/** The place that a cursor names; null for a text that no page gave. */
export const readCursor = (cursor: string): Position | null => {
  const [, createdAt, requestId] = cursorText.exec(cursor) ?? [];
  return createdAt === undefined || requestId === undefined
    ? null
    : { createdAt: Number(createdAt), requestId };
};

const escapeLike = (text: string) => text.replaceAll(/[\\%_]/g, (char) => `\\${char}`);

type Where = ExpressionBuilder<Schema, 'calls'>;

const madeBy = (where: Where, by: CallMaker) => {
  if (by === 'panel') return where('viaKind', 'is', null);
  if (by === 'chat') return where('viaKind', '=', 'thread');
  const end = by.indexOf(':');
  return where.and([where('viaKind', '=', by.slice(0, end)), where('viaId', '=', by.slice(end + 1))]);
};

/** The condition of the index `callsEndedBadly`, which SQLite wants to find in the query. */
const endedBadly = sql<boolean>`state in ('failed', 'denied', 'cancelled', 'timed-out', 'lost')`;

const inState = (where: Where, state: CallState) => [
  where('state', '=', state),
  ...(isOpenState(state) ? [where('endedAt', 'is', null)] : state === 'succeeded' ? [] : [endedBadly]),
];

/** Regardless of the case of ASCII letters, in both. */
const likeOf = { sqlite: 'like', postgres: 'ilike' } as const satisfies Record<Dialect, string>;

const contains = (dialect: Dialect, column: 'subject' | 'arguments', text: string) =>
  sql<boolean>`${sql.ref(column)} ${sql.raw(likeOf[dialect])} ${`%${escapeLike(text)}%`} escape '\\'`;

/** Tools whose subject is a command. */
const commandTools = ['shell_execute', 'process_start'];

/** In the subject; of a command that its subject has not in full, in its arguments, which are JSON. */
const hasText = (dialect: Dialect, where: Where, q: string) =>
  where.or([
    contains(dialect, 'subject', q),
    where.and([
      where('tool', 'in', commandTools),
      where('subject', 'like', '%…'),
      contains(dialect, 'arguments', JSON.stringify(q).slice(1, -1)),
    ]),
  ]);

const fits =
  (dialect: Dialect, { userId, via }: CallOwner, { machine, by, tool, state, ruling, q }: CallFilter) =>
  (where: Where) =>
    where.and([
      where('userId', '=', userId),
      ...(via ? [where('viaKind', '=', via.kind), where('viaId', '=', via.id)] : []),
      ...(machine === undefined ? [] : [where('machineId', '=', machine)]),
      ...(by === undefined ? [] : [madeBy(where, by)]),
      ...(tool === undefined ? [] : [where('tool', '=', tool)]),
      ...(state === undefined ? [] : inState(where, state)),
      ...(ruling === undefined ? [] : [where('ruling', '=', ruling)]),
      ...(q === undefined ? [] : [hasText(dialect, where, q)]),
    ]);

const behind =
  ({ createdAt, requestId }: Position) =>
  (where: Where) =>
    where.and([
      where('createdAt', '<=', createdAt),
      where.or([where('createdAt', '<', createdAt), where('requestId', '<', requestId)]),
    ]);

const isSelective = ({ from: _from, to: _to, ...rest }: CallFilter) =>
  Object.values(rest).some((value) => value !== undefined);

/** In milliseconds since 1970; `to` is not included. */
interface Times {
  from: number;
  to: number;
}

const timesOf = ({ from, to }: CallFilter): Times => ({
  from: from === undefined ? 0 : Date.parse(from),
  // A call whose time cannot be read has no place in the order.
  to: to === undefined ? lastTime + 1 : Date.parse(to),
});

export interface PastCalls {
  calls: CallHead[];
  nextCursor: string | null;
}

export interface Counts {
  from: number;
  to: number;
  bucketMs: number;
  counts: number[];
  of: Record<(typeof countedEnds)[number], number[]>;
  /** Calls before this time are not counted. */
  countedFrom: number | null;
}

interface Look {
  owner: CallOwner;
  filter: CallFilter;
}

/** The processor's time: on a busy machine a short part can end late. */
const workedMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

/** Measures the work of one request, without the pauses between its parts. */
const createStopwatch = (longestMs: number) => {
  let totalMs = 0;
  return {
    /** What the part gives, and how long it took. */
    measure: async <T>(part: () => Promise<T>): Promise<{ result: T; tookMs: number }> => {
      const began = workedMs();
      const result = await part();
      const tookMs = workedMs() - began;
      totalMs += tookMs;
      return { result, tookMs };
    },
    isOver: () => totalMs >= longestMs,
  };
};

interface Context {
  db: Kysely<Schema>;
  clock: Clock;
  limits: typeof lookLimits;
}

/** The time down to which one part reaches; null if fewer calls than that are left. */
const endOfPart = async ({ db, limits }: Context, userId: string, from: Position): Promise<number | null> => {
  const row = await db
    .selectFrom('calls')
    .select('createdAt')
    .where('userId', '=', userId)
    .where(behind(from))
    .orderBy('createdAt', 'desc')
    .orderBy('requestId', 'desc')
    .offset(limits.callsAtOnce - 1)
    .limit(1)
    .executeTakeFirst();
  return row?.createdAt ?? null;
};

const oldest = async ({ db }: Context, userId: string): Promise<number | null> => {
  const row = await db
    .selectFrom('calls')
    .select('createdAt')
    .where('userId', '=', userId)
    .orderBy('createdAt')
    .limit(1)
    .executeTakeFirst();
  return row?.createdAt ?? null;
};

const found = async (
  { db }: Context,
  { owner, filter }: Look,
  { position, from, limit }: { position: Position; from: number; limit: number },
) => {
  const ids = db
    .selectFrom('calls')
    .select('requestId')
    .where(fits(dialectOf(db), owner, filter))
    .where('createdAt', '>=', from)
    .where(behind(position))
    .orderBy('createdAt', 'desc')
    .orderBy('requestId', 'desc')
    .limit(limit);
  const rows = await db
    .selectFrom('calls')
    .select(headColumns)
    .where('requestId', 'in', ids)
    .orderBy('createdAt', 'desc')
    .orderBy('requestId', 'desc')
    .execute();
  return rows.map(readHead);
};

/** Looks part by part, from the newest on, until the page is full or the time is over. */
const lookThrough = async (
  ctx: Context,
  look: Look,
  page: { start: Position; from: number; limit: number },
) => {
  const { clock, limits } = ctx;
  const stopwatch = createStopwatch(limits.longestMs);
  const calls: CallHead[] = [];
  const first = await endOfPart(ctx, look.owner.userId, page.start);
  let position = page.start;
  let span = Math.max(1, Math.min(page.start.createdAt, clock.now()) - (first ?? 0));
  let end = Math.max(page.from, first ?? 0);
  const last = Math.max(page.from, (await oldest(ctx, look.owner.userId)) ?? 0);
  for (;;) {
    const part = { position, from: end, limit: page.limit + 1 - calls.length };
    const { result, tookMs } = await stopwatch.measure(() => found(ctx, look, part));
    calls.push(...result);
    if (calls.length > page.limit || end <= last) return { calls, stoppedAt: null };
    if (stopwatch.isOver()) return { calls, stoppedAt: afterTime(end) };
    await nextMacrotask();
    position = afterTime(end);
    if (tookMs > slowPartMs) span = Math.ceil(span / 2);
    else if (tookMs < fastPartMs) span *= 2;
    end = Math.max(page.from, end - span);
  }
};

const count = ({ db }: Context, { owner, filter }: Look, times: Times) =>
  db
    .selectFrom('calls')
    .select(({ fn }) => [
      fn.countAll<number>().as('all'),
      fn.countAll<number>().filterWhere('state', '=', 'denied').as('denied'),
      fn.countAll<number>().filterWhere('state', 'in', failedStates).as('failed'),
      fn
        .countAll<number>()
        .filterWhere('state', 'not in', ['denied', ...failedStates])
        .filterWhere((where) =>
          where.or([where('ruling', '=', 'asked'), where('state', '=', 'awaiting-confirmation')]),
        )
        .as('asked'),
    ])
    .where(fits(dialectOf(db), owner, filter))
    .where('createdAt', '>=', times.from)
    .where('createdAt', '<', times.to)
    .executeTakeFirstOrThrow();

/** Reads calls by filters, in parts between which other work goes on. */
export const createPastCallsStore = (db: Kysely<Schema>, clock: Clock, limits = lookLimits) => {
  const ctx = { db, clock, limits };
  return {
    /**
     * Newest first, from behind the cursor on. Stops after 80 ms also before the page is full; the cursor
     * then goes on from there.
     */
    list: async (
      look: Look,
      { cursor, limit }: { cursor: Position | null; limit: number },
    ): Promise<PastCalls> => {
      const { from, to } = timesOf(look.filter);
      const top = afterTime(to);
      const start = cursor && cursor.createdAt < to ? cursor : to > lastTime ? newest : top;
      const page = { start, from, limit };
      const { calls, stoppedAt } = isSelective(look.filter)
        ? await lookThrough(ctx, look, page)
        : {
            calls: await found(ctx, look, { position: start, from, limit: limit + 1 }),
            stoppedAt: null,
          };
      const shown = calls.slice(0, limit);
      const next = calls.length > limit ? shown.at(-1) : stoppedAt;
      return { calls: shown, nextCursor: next ? cursorOf(next) : null };
    },
    around: (userId: string, requestId: string) => readAround(db, userId, requestId),
    /** Counts from the newest part to the oldest, until 80 ms of work are over. */
    histogram: async (look: Look, buckets: number): Promise<Counts> => {
      const stopwatch = createStopwatch(limits.longestMs);
      const times = timesOf(look.filter);
      const to = look.filter.to === undefined ? clock.now() + 1 : times.to;
      const first = (await oldest(ctx, look.owner.userId)) ?? to;
      const from = Math.min(look.filter.from === undefined ? first : times.from, to);
      const bucketMs = Math.max(1, Math.ceil((to - from) / buckets));
      const zeros = () => Array.from({ length: buckets }, () => 0);
      const counts = zeros();
      const of = { asked: zeros(), denied: zeros(), failed: zeros() };
      for (let bucket = buckets - 1; bucket >= 0; bucket -= 1) {
        const start = from + bucket * bucketMs;
        const end = Math.min(start + bucketMs, to);
        if (start >= to) continue;
        if (end <= first) break;
        if (stopwatch.isOver()) return { from, to, bucketMs, counts, of, countedFrom: end };
        const range = { from: start, to: end };
        const { result, tookMs } = await stopwatch.measure(() => count(ctx, look, range));
        counts[bucket] = result.all;
        for (const one of countedEnds) of[one][bucket] = result[one];
        if (tookMs > fastPartMs) await nextMacrotask();
      }
      return { from, to, bucketMs, counts, of, countedFrom: null };
    },
  };
};

export type PastCallsStore = ReturnType<typeof createPastCallsStore>;
