import { sql, type Kysely } from 'kysely';
import type { Commit, Schema } from '../../db/index.ts';

/** A call by what it is found and ordered with. */
export interface OldCall {
  requestId: string;
  createdAt: number;
}

/** Calls that are deleted together, and bytes of arguments and results; one call may have more. */
const deletedAtOnce = 50;
const bytesDeletedAtOnce = 1024 * 1024;

/** Reads from `db`; `commit` is the one that calls are written through. */
export const createOldCallsStore = (db: Kysely<Schema>, commit: Commit) => ({
  /** Of the users who have calls the one whose id comes next; null after the last. */
  userAfter: async (userId: string): Promise<string | null> => {
    const { next } = await db
      .selectFrom('calls')
      .select(({ fn }) => fn.min<string | null>('userId').as('next'))
      .where('userId', '>', userId)
      .executeTakeFirstOrThrow();
    return next;
  },
  /**
   * The next calls of a user that had ended by then, oldest first, from behind `after` on: as many as are
   * deleted together.
   */
  ended: async ({
    userId,
    by,
    after,
  }: {
    userId: string;
    by: number;
    after: OldCall | null;
  }): Promise<OldCall[]> => {
    const rows = await db
      .selectFrom('calls')
      .select([
        'requestId',
        'createdAt',
        // Told by the head of the row: the contents are not read.
        sql<number>`octet_length("arguments") + coalesce(octet_length("result"), 0)`.as('bytes'),
      ])
      .where('userId', '=', userId)
      .where('createdAt', '>=', after?.createdAt ?? 0)
      .where('createdAt', '<=', by)
      .where('endedAt', '<=', by)
      .$if(after !== null, (query) =>
        query.where((where) =>
          where.or([
            where('createdAt', '>', after?.createdAt ?? 0),
            where('requestId', '>', after?.requestId ?? ''),
          ]),
        ),
      )
      .orderBy('createdAt')
      .orderBy('requestId')
      .limit(deletedAtOnce)
      .execute();
    let bytes = 0;
    const tooMany = rows.findIndex((row, at) => {
      bytes += row.bytes;
      return at > 0 && bytes > bytesDeletedAtOnce;
    });
    return (tooMany < 0 ? rows : rows.slice(0, tooMany)).map(({ requestId, createdAt }) => ({
      requestId,
      createdAt,
    }));
  },
  /** Deletes calls that have ended, with their questions. A power cut may bring them back. */
  remove: async (requestIds: readonly string[]) => {
    const questions = db.deleteFrom('confirmations').where('requestId', 'in', requestIds);
    const calls = db
      .deleteFrom('calls')
      .where('requestId', 'in', requestIds)
      .where('endedAt', 'is not', null);
    await commit([questions.compile(), calls.compile()], 'kept');
  },
});
