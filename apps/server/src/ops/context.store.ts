import { mainHistory } from '@drawbridge/agent';
import { sql, type Kysely } from 'kysely';
import type { Schema } from '../db/index.ts';
import { threadsOf, type Whose } from './whose.store.ts';

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
      .select(sql<number | null>`sum(octet_length("parts")) / ${bytesPerToken}`.as('tokens'))
      .executeTakeFirstOrThrow();
    const results = await db
      .selectFrom('agentToolCalls')
      .innerJoin('agentAgents', (join) =>
        join
          .onRef('agentAgents.userId', '=', 'agentToolCalls.userId')
          .onRef('agentAgents.id', '=', 'agentToolCalls.agentId'),
      )
      .select(
        sql<number | null>`sum(octet_length("agentToolCalls"."result")) / ${bytesPerToken}`.as('tokens'),
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
  const threadRows = (whose: Whose) =>
    db
      .selectFrom('agentThreads')
      .where('userId', '=', whose.userId)
      .$if(whose.principal !== null, (query) => query.where('id', 'in', threadsOf(db, whose)));

  return {
    /** The threads that were used last. */
    newestThreads: async (whose: Whose, limit: number): Promise<string[]> => {
      const rows = await threadRows(whose).select('id').orderBy('updatedAt', 'desc').limit(limit).execute();
      return rows.map(({ id }) => id);
    },
    countThreads: async (whose: Whose): Promise<number> => {
      const { count } = await threadRows(whose)
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      return count;
    },
    /** Whether notes have replaced messages of the thread since then. */
    wasCompacted: async (userId: string, threadId: string, since: number): Promise<boolean> => {
      const row = await db
        .selectFrom('agentNotes')
        .select('seq')
        .where('userId', '=', userId)
        .where('threadId', '=', threadId)
        .where('history', '=', mainHistory)
        .where('createdAt', '>=', since)
        .limit(1)
        .executeTakeFirst();
      return row !== undefined;
    },
    /** The summary that has replaced messages of the thread since then, by its number; null for none. */
    summarySince: async (userId: string, threadId: string, since: number): Promise<number | null> => {
      const row = await db
        .selectFrom('agentNotes')
        .select('seq')
        .where('userId', '=', userId)
        .where('threadId', '=', threadId)
        .where('history', '=', mainHistory)
        .where('kind', '=', 'summary')
        .where('createdAt', '>=', since)
        .orderBy('seq', 'desc')
        .limit(1)
        .executeTakeFirst();
      return row?.seq ?? null;
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

export type ContextStore = ReturnType<typeof createContextStore>;
