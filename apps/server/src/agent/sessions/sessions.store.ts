import { mainHistory, type MessagePart } from '@drawbridge/agent';
import { laneRecord } from '@drawbridge/contracts/agent/lanes';
import { z } from 'zod';
import type { Schema, Store } from '../../db/index.ts';

export type SessionRow = Schema['rpcSessions'];

/** A thread of a user; `sessionId` and `principal` are null for one that was not made at this door. */
export interface NamedThread {
  threadId: string;
  sessionId: string | null;
  principal: string | null;
}

const said: readonly string[] = ['text', 'delivery'] satisfies MessagePart['type'][];
const texts = z
  .array(z.looseObject({ type: z.string(), text: z.string().optional() }))
  .transform((parts) =>
    parts.flatMap(({ type, text }) => (said.includes(type) ? (text ?? []) : [])).join('\n\n'),
  );

const openStates = ['active', 'suspended'] as const;

type Db = Store['db'];

const createNames = (db: Db) => ({
  byName: (name: Pick<SessionRow, 'userId' | 'principal' | 'sessionId'>): Promise<SessionRow | undefined> =>
    db
      .selectFrom('rpcSessions')
      .selectAll()
      .where('userId', '=', name.userId)
      .where('principal', '=', name.principal)
      .where('sessionId', '=', name.sessionId)
      .executeTakeFirst(),
  byThread: (userId: string, threadId: string): Promise<SessionRow | undefined> =>
    db
      .selectFrom('rpcSessions')
      .selectAll()
      .where('userId', '=', userId)
      .where('threadId', '=', threadId)
      .executeTakeFirst(),
  /** Stores the name unless it is taken. */
  add: async (row: SessionRow): Promise<void> => {
    await db
      .insertInto('rpcSessions')
      .values(row)
      .onConflict((conflict) => conflict.columns(['userId', 'principal', 'sessionId']).doNothing())
      .execute();
  },
  remove: async (userId: string, threadId: string): Promise<void> => {
    await db
      .deleteFrom('rpcSessions')
      .where('userId', '=', userId)
      .where('threadId', '=', threadId)
      .execute();
  },
  /** Deletes names whose thread is gone, of those made before a time. */
  forget: async (before: number): Promise<void> => {
    await db
      .deleteFrom('rpcSessions')
      .where('createdAt', '<', before)
      .where((where) =>
        where.not(
          where.exists(
            where
              .selectFrom('agentThreads')
              .select('id')
              .whereRef('agentThreads.userId', '=', 'rpcSessions.userId')
              .whereRef('agentThreads.id', '=', 'rpcSessions.threadId'),
          ),
        ),
      )
      .execute();
  },
  /** The threads of a user, the last used first. */
  threads: (userId: string): Promise<NamedThread[]> =>
    db
      .selectFrom('agentThreads as thread')
      .leftJoin('rpcSessions as name', (join) =>
        join.onRef('name.userId', '=', 'thread.userId').onRef('name.threadId', '=', 'thread.id'),
      )
      .select(['thread.id as threadId', 'name.sessionId', 'name.principal'])
      .where('thread.userId', '=', userId)
      .orderBy('thread.updatedAt', 'desc')
      .orderBy('thread.id')
      .execute(),
  /** Those of the threads with an open run. */
  withOpenRun: async (userId: string): Promise<Set<string>> => {
    const rows = await db
      .selectFrom('agentRuns')
      .select('threadId')
      .where('userId', '=', userId)
      .where('state', 'in', openStates)
      .execute();
    return new Set(rows.map(({ threadId }) => threadId));
  },
});

const createReads = (db: Db) => ({
  /** Times in milliseconds since 1970. */
  thread: async (userId: string, threadId: string) => {
    const row = await db
      .selectFrom('agentThreads')
      .select(['createdAt', 'updatedAt', 'lastSeq', 'lane'])
      .where('userId', '=', userId)
      .where('id', '=', threadId)
      .executeTakeFirst();
    if (!row) return undefined;
    const lane = laneRecord.safeParse(JSON.parse(row.lane));
    return {
      createdAt: Number(row.createdAt),
      updatedAt: Number(row.updatedAt),
      lastSeq: row.lastSeq,
      overrides: lane.success ? lane.data.overrides : {},
    };
  },
  countMessages: async (userId: string, threadId: string): Promise<number> => {
    const { count } = await db
      .selectFrom('agentMessages')
      .select((select) => select.fn.countAll<number>().as('count'))
      .where('userId', '=', userId)
      .where('threadId', '=', threadId)
      .where('history', '=', mainHistory)
      .where('source', 'in', ['person', 'model'])
      .executeTakeFirstOrThrow();
    return Number(count);
  },
  /** What was said, newest first, without the parts of messages that are no text. */
  messages: async (
    { userId, threadId }: { userId: string; threadId: string },
    { before, limit }: { before?: number | undefined; limit: number },
  ) => {
    let query = db
      .selectFrom('agentMessages')
      .select(['role', 'seq', 'parts', 'createdAt', 'id'])
      .where('userId', '=', userId)
      .where('threadId', '=', threadId)
      .where('history', '=', mainHistory)
      .where('source', 'in', ['person', 'model'])
      .orderBy('seq', 'desc')
      .limit(limit);
    if (before !== undefined) query = query.where('seq', '<', before);
    const rows = await query.execute();
    return rows.map(({ role, seq, parts, createdAt, id }) => {
      const content = texts.safeParse(JSON.parse(parts));
      return { id, role, seq, at: Number(createdAt), content: content.success ? content.data : '' };
    });
  },
});

/** The names of sessions, and what is read of their threads. */
export const createSessionsStore = ({ db }: Pick<Store, 'db'>) => ({
  ...createNames(db),
  ...createReads(db),
});

export type SessionsStore = ReturnType<typeof createSessionsStore>;
