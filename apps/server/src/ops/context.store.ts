import { mainHistory } from '@drawbridge/agent';
import { sql, type Kysely } from 'kysely';
import type { Schema } from '../db/index.ts';

/** All threads of a user, or those of one token, by its namespace of session names. */
export interface ThreadScope {
  userId: string;
  principal: string | null;
}

/** The ids of the threads of one namespace. */
export const threadsOf = (db: Kysely<Schema>, { userId, principal }: ThreadScope) =>
  db
    .selectFrom('rpcSessions')
    .select('threadId')
    .where('userId', '=', userId)
    .where('principal', '=', principal ?? '');

/** Bytes of a stored message, or of a tool's result, for each token. */
const bytesPerToken = 3.5;

const total = ({ tokens }: { tokens: number | null }) => tokens ?? 0;

/** How long requests of threads are. */
const createEstimates = (db: Kysely<Schema>) => {
  /** Up to which message the notes of a thread have replaced its messages, and their length. */
  const notesOf = async (userId: string, threadId: string, at: number) => {
    const { upTo, tokens } = await db
      .selectFrom('agentNotes')
      .select(({ fn }) => [
        fn.max<number | null>('upToSeq').as('upTo'),
        fn.sum<number | null>('tokens').as('tokens'),
      ])
      .where('userId', '=', userId)
      .where('threadId', '=', threadId)
      .where('history', '=', mainHistory)
      .where('createdAt', '<=', at)
      .where((where) => where.or([where('replacedAt', 'is', null), where('replacedAt', '>', at)]))
      .executeTakeFirstOrThrow();
    return { from: upTo ?? -1, tokens: tokens ?? 0 };
  };

  /** The newest step of the main agents, with the tokens that its request and its answer had. */
  const lastStep = (userId: string, threadId: string) =>
    db
      .selectFrom('agentMessages')
      .select(['seq', 'step', 'agentId', 'tokens', 'createdAt'])
      .where('userId', '=', userId)
      .where('threadId', '=', threadId)
      .where('history', '=', mainHistory)
      .where('source', '=', 'model')
      .orderBy('seq', 'desc')
      .limit(1)
      .executeTakeFirst();

  type Step = NonNullable<Awaited<ReturnType<typeof lastStep>>>;

  /** The length of what was said, by its bytes: now, or when that step was made, without what it called. */
  const saidTokens = async (userId: string, threadId: string, then?: Step): Promise<number> => {
    const { from, tokens: notes } = await notesOf(
      userId,
      threadId,
      then ? Number(then.createdAt) : Number.MAX_SAFE_INTEGER,
    );
    const messages = db
      .selectFrom('agentMessages')
      .where('userId', '=', userId)
      .where('threadId', '=', threadId)
      .where('history', '=', mainHistory)
      .where('seq', '>', from)
      .$if(then !== undefined, (query) => query.where('seq', '<=', then?.seq ?? 0));
    const said = await messages
      .select(sql<number | null>`sum(octet_length("parts")) / ${sql.lit(bytesPerToken)}`.as('tokens'))
      .executeTakeFirstOrThrow();
    const results = await db
      .selectFrom('agentToolCalls')
      .innerJoin('agentAgents', (join) =>
        join
          .onRef('agentAgents.userId', '=', 'agentToolCalls.userId')
          .onRef('agentAgents.id', '=', 'agentToolCalls.agentId'),
      )
      .select(
        sql<number | null>`sum(octet_length("agentToolCalls"."result")) / ${sql.lit(bytesPerToken)}`.as(
          'tokens',
        ),
      )
      .where('agentToolCalls.userId', '=', userId)
      .where('agentToolCalls.threadId', '=', threadId)
      .where('agentAgents.kind', '=', 'main')
      .where(
        'agentToolCalls.startedAt',
        '>=',
        messages.select(({ fn }) => fn.min('createdAt').as('first')),
      )
      .$if(then !== undefined, (query) =>
        query.where((where) =>
          where.not(
            where.and([
              where('agentToolCalls.agentId', '=', then?.agentId ?? ''),
              where('agentToolCalls.step', '>=', then?.step ?? 0),
            ]),
          ),
        ),
      )
      .executeTakeFirstOrThrow();
    return Math.ceil(notes + total(said) + total(results));
  };

  return { lastStep, saidTokens };
};

/** Threads of a user, and how long their next request would be. */
export const createContextStore = (db: Kysely<Schema>) => {
  const { lastStep, saidTokens } = createEstimates(db);
  const threadRows = (scope: ThreadScope) =>
    db
      .selectFrom('agentThreads')
      .where('userId', '=', scope.userId)
      .$if(scope.principal !== null, (query) => query.where('id', 'in', threadsOf(db, scope)));

  return {
    /** The threads that were used last. */
    newestThreads: async (scope: ThreadScope, limit: number): Promise<string[]> => {
      const rows = await threadRows(scope).select('id').orderBy('updatedAt', 'desc').limit(limit).execute();
      return rows.map(({ id }) => id);
    },
    countThreads: async (scope: ThreadScope): Promise<number> => {
      const { count } = await threadRows(scope)
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      return count;
    },
    /** Whether notes have replaced messages since then, and the number of the newest summary that has. */
    replacedSince: async (userId: string, threadId: string, since: number) => {
      const { notes, summary } = await db
        .selectFrom('agentNotes')
        .select(({ fn }) => [
          fn.countAll<number>().as('notes'),
          fn.max<number | null>('seq').filterWhere('kind', '=', 'summary').as('summary'),
        ])
        .where('userId', '=', userId)
        .where('threadId', '=', threadId)
        .where('history', '=', mainHistory)
        .where('createdAt', '>=', since)
        .executeTakeFirstOrThrow();
      return { wasCompacted: notes > 0, summary };
    },
    /**
     * The estimated length of a thread's next request. The system prompt and the tools are what the newest
     * step had beyond what was said until then.
     */
    contextTokens: async (userId: string, threadId: string): Promise<number> => {
      const now = await saidTokens(userId, threadId);
      const last = await lastStep(userId, threadId);
      if (!last) return now;
      return now + Math.max(0, last.tokens - (await saidTokens(userId, threadId, last)));
    },
  };
};
