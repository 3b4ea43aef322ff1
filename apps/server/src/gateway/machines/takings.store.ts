import type { Clock } from '@drawbridge/kit';
import type { Kysely } from 'kysely';
import type { Schema } from '../../db/index.ts';
import { revised } from './revised.store.ts';

/** Daemons that replace each other on one machine, wherever they call. */
export const createTakings = (db: Kysely<Schema>, clock: Clock) => ({
  /** Counts that another daemon replaces a connected one; how often that was since then, or later. */
  countTaking: async (id: string, since: number): Promise<number> => {
    const row = await db
      .updateTable('machines')
      .set(revised(clock.now()))
      .set(({ eb }) => ({
        takings: eb
          .case()
          .when('takingsSince', '>', since)
          .then(eb('takings', '+', 1))
          .else(eb.lit(1))
          .end(),
        takingsSince: eb
          .case()
          .when('takingsSince', '>', since)
          .then(eb.ref('takingsSince'))
          .else(clock.now())
          .end(),
      }))
      .where('id', '=', id)
      .returning('takings')
      .executeTakeFirst();
    return row?.takings ?? 0;
  },
});
