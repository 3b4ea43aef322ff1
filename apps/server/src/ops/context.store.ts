import { mainHistory } from '@drawbridge/agent';
import { sql, type Kysely } from 'kysely';
import type { Schema } from '../db/index.ts';
import { threadsOf, type Whose } from './whose.store.ts';

/** Bytes of a stored message, or of a tool's result, for each token. */
const bytesPerToken = 3.5;

const total = ({ tokens }: { tokens: number | null }) => tokens ?? 0;

/** Threads of a user, and how long their next request would be. */
export const createContextStore = (db: Kysely<Schema>) => {
  /** Up to which message the notes of a thread have replaced its messages, and their length. */
  const notesOf = async (userId: string, threadId: string) => {
    const { upTo, tokens } = await db
      .selectFrom('agentNotes')
      .select(({ fn }) => [
        fn.max<number | null>('upToSeq').as('upTo'),
        fn.sum<number | null>('tokens').as('tokens'),
      ])
      .where('userId', '=', userId)
      .where('threadId', '=', threadId)
      .where('history', '=', mainHistory)
      .where('replacedAt', 'is', null)
      .executeTakeFirstOrThrow();
    return { from: upTo ?? -1, tokens: tokens ?? 0 };
  };

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
    /** The estimated length of a thread's next request, without the system prompt and the tools. */
    contextTokens: async (userId: string, threadId: string): Promise<number> => {
      const { from, tokens: notes } = await notesOf(userId, threadId);
      const messages = db
        .selectFrom('agentMessages')
        .where('userId', '=', userId)
        .where('threadId', '=', threadId)
        .where('history', '=', mainHistory)
        .where('seq', '>', from);
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
        .executeTakeFirstOrThrow();
      return Math.ceil(notes + total(said) + total(results));
    },
  };
};

export type ContextStore = ReturnType<typeof createContextStore>;
