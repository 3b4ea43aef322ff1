import type { Confirmation } from '@drawbridge/contracts/confirmation';
import type { Kysely } from 'kysely';
import type { Schema } from '../../../db/index.ts';
import { readConfirmation, type StoredConfirmation } from './confirmation-row.ts';

/** So many are in memory with their previews, which may be long. */
const readTogether = 50;

/** Reads questions; a call's transition writes them. */
export const createConfirmationsStore = (db: Kysely<Schema>) => {
  const confirmations = db
    .selectFrom('confirmations')
    .innerJoin('calls', 'calls.requestId', 'confirmations.requestId')
    .selectAll('confirmations')
    .select(['calls.tool', 'calls.arguments', 'calls.via']);
  return {
    /** Undefined also for one that cannot be read. */
    byId: async (id: string): Promise<StoredConfirmation | undefined> => {
      const row = await confirmations.where('confirmations.id', '=', id).executeTakeFirst();
      return row && readConfirmation(row);
    },
    /** Every question of a call, oldest first; null in the place of one that cannot be read. */
    ofCall: async (requestId: string): Promise<(StoredConfirmation | null)[]> => {
      const rows = await confirmations
        .where('confirmations.requestId', '=', requestId)
        .orderBy('confirmations.createdAt')
        .execute();
      return rows.map((row) => readConfirmation(row) ?? null);
    },
    /** The approved questions of these calls, oldest first, without those that cannot be read. */
    approved: async (requestIds: readonly string[]): Promise<StoredConfirmation[]> => {
      const rows = await confirmations
        .where('confirmations.requestId', 'in', requestIds)
        .where('confirmations.approved', '=', 1)
        .orderBy('confirmations.createdAt')
        .execute();
      return rows.flatMap((row) => readConfirmation(row) ?? []);
    },
    /** The decided ones about the newest calls that were asked about, newest first; without previews. */
    decided: async (
      userId: string,
      { from, calls }: { from: number; calls: number },
    ): Promise<Confirmation[]> => {
      const asked = db
        .selectFrom('calls')
        .select('requestId')
        .where('userId', '=', userId)
        .where('createdAt', '>=', from)
        .where('ruling', '=', 'asked')
        .orderBy('createdAt', 'desc')
        .limit(calls);
      const ids = await db
        .selectFrom('confirmations')
        .select('id')
        .where('requestId', 'in', asked)
        .where('state', '=', 'decided')
        .orderBy('createdAt', 'desc')
        .execute();
      const found: Confirmation[] = [];
      for (let at = 0; at < ids.length; at += readTogether) {
        const some = ids.slice(at, at + readTogether).map(({ id }) => id);
        const rows = await confirmations
          .where('confirmations.id', 'in', some)
          .orderBy('confirmations.createdAt', 'desc')
          .execute();
        const shown = rows.flatMap((row) => readConfirmation(row)?.shown ?? []);
        found.push(...shown.map((one) => ({ ...one, arguments: {}, preview: null })));
      }
      return found;
    },
    /** The open ones of a user, oldest first, without those that cannot be read. */
    open: async (userId: string): Promise<StoredConfirmation[]> => {
      const rows = await confirmations
        .where('confirmations.userId', '=', userId)
        .where('confirmations.state', '=', 'open')
        .orderBy('confirmations.createdAt')
        .execute();
      return rows.flatMap((row) => readConfirmation(row) ?? []);
    },
  };
};

export type ConfirmationsStore = ReturnType<typeof createConfirmationsStore>;
