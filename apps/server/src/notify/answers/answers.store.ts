import { noticeAnswer, type NoticeAnswer } from '@drawbridge/contracts/outside/notifications';
import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { Schema } from '../../db/index.ts';

/** A question that the notification of one device shows with buttons. */
export interface Notice extends Omit<Schema['pushAnswers'], 'offers' | 'usedAt'> {
  offers: NoticeAnswer[];
}

const offersOf = z.array(noticeAnswer);

export const createAnswersStore = (db: Kysely<Schema>) => ({
  insert: async ({ offers, ...notice }: Notice): Promise<void> => {
    await db
      .insertInto('pushAnswers')
      .values({ ...notice, offers: JSON.stringify(offers), usedAt: null })
      .execute();
  },
  byToken: async (tokenDigest: string): Promise<(Notice & { usedAt: number | null }) | null> => {
    const row = await db
      .selectFrom('pushAnswers')
      .selectAll()
      .where('tokenDigest', '=', tokenDigest)
      .executeTakeFirst();
    return row ? { ...row, offers: offersOf.parse(JSON.parse(row.offers)) } : null;
  },
  /** False where it was used before. */
  use: async (tokenDigest: string, now: number): Promise<boolean> => {
    const { numUpdatedRows } = await db
      .updateTable('pushAnswers')
      .set({ usedAt: now })
      .where('tokenDigest', '=', tokenDigest)
      .where('usedAt', 'is', null)
      .executeTakeFirst();
    return numUpdatedRows === 1n;
  },
  forget: async (before: number): Promise<void> => {
    await db.deleteFrom('pushAnswers').where('expiresAt', '<', before).execute();
  },
});

export type AnswersStore = ReturnType<typeof createAnswersStore>;
