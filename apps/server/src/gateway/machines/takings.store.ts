import type { Clock } from '@drawbridge/kit';
import type { Kysely } from 'kysely';
import type { Schema } from '../../db/index.ts';
import { revised } from './revised.store.ts';
import type { MachineInit } from './stored-machine.ts';

/** Daemons that replace each other on one machine, wherever they call. */
export const createTakings = (db: Kysely<Schema>, clock: Clock) => ({
  /**
   * Counts that another daemon replaces a connected one; how often that was since then, or later. 0 for an
   * init that is `after` another epoch than the newest: it replaces none.
   */
  countTaking: async ({ id, after }: Pick<MachineInit, 'id' | 'after'>, since: number): Promise<number> => {
    const update = db
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
      .where('id', '=', id);
    const row = await (after === null ? update : update.where('epoch', '=', after))
      .returning('takings')
      .executeTakeFirst();
    return row?.takings ?? 0;
  },
});
