import type { Clock } from '@drawbridge/kit';
import type { Kysely } from 'kysely';
import type { Schema } from '../../db/index.ts';
import { revised } from './revised.store.ts';

/** A machine whose row has changed. */
export interface ChangedMachine {
  id: string;
  userId: string;
  rev: number;
}

/** Rows of machines that one sweep takes. */
const sweptAtOnce = 100;

/** What several servers look for in machines; a single one has it in its memory. */
export const createSharedMachines = (db: Kysely<Schema>, clock: Clock) => {
  const update = () => db.updateTable('machines').set(revised(clock.now()));
  return {
    /** Closes the streams of servers that are gone; returns the machines that had one. */
    detachOfDead: async (at: number, graceUntil: number): Promise<Omit<ChangedMachine, 'rev'>[]> =>
      update()
        .set(({ fn, ref, val }) => ({
          serverId: null,
          graceUntil,
          lastSeenAt: fn.coalesce(ref('lastSeenAt'), val(at)),
        }))
        .where('serverId', 'is not', null)
        .where('serverId', 'not in', ({ selectFrom }) => selectFrom('servers').select('servers.id'))
        .returning(['id', 'userId'])
        .execute(),
    /** Machines that wait for a stream and whose server has written no grace: it served the store alone. */
    startGraces: async (graceUntil: number) => {
      await update()
        .set({ graceUntil })
        .where('connectedAt', 'is not', null)
        .where('serverId', 'is', null)
        .where('graceUntil', 'is', null)
        .execute();
    },
    /** Some of the machines whose grace was over at that time. */
    lateGraces: async (at: number): Promise<string[]> =>
      (
        await db
          .selectFrom('machines')
          .select('id')
          .where('graceUntil', '<=', at)
          .where('connectedAt', 'is not', null)
          .where('serverId', 'is', null)
          .orderBy('graceUntil')
          .limit(sweptAtOnce)
          .execute()
      ).map(({ id }) => id),
    /** Machines whose rows have changed since that time. */
    changedSince: (at: number): Promise<ChangedMachine[]> =>
      db.selectFrom('machines').select(['id', 'userId', 'rev']).where('changedAt', '>', at).execute(),
  };
};
