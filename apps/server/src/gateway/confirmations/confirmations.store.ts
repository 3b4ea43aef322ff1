import type { Kysely } from 'kysely';
import type { Schema } from '../../db/index.ts';
import { readConfirmation, type StoredConfirmation } from './confirmation-row.ts';

/** Reads questions; a call's transition writes them. */
export interface ConfirmationsStore {
  /** Undefined also for one that cannot be read. */
  byId(id: string): Promise<StoredConfirmation | undefined>;
  /** Every question of a call, oldest first; null in the place of one that cannot be read. */
  ofCall(requestId: string): Promise<(StoredConfirmation | null)[]>;
  /** The open ones of a user, oldest first, without those that cannot be read. */
  open(userId: string): Promise<StoredConfirmation[]>;
}

export const createConfirmationsStore = (db: Kysely<Schema>): ConfirmationsStore => {
  const confirmations = db
    .selectFrom('confirmations')
    .innerJoin('calls', 'calls.requestId', 'confirmations.requestId')
    .selectAll('confirmations')
    .select(['calls.tool', 'calls.arguments', 'calls.via']);
  return {
    byId: async (id) => {
      const row = await confirmations.where('confirmations.id', '=', id).executeTakeFirst();
      return row && readConfirmation(row);
    },
    ofCall: async (requestId) => {
      const rows = await confirmations
        .where('confirmations.requestId', '=', requestId)
        .orderBy('confirmations.createdAt')
        .execute();
      return rows.map((row) => readConfirmation(row) ?? null);
    },
    open: async (userId) => {
      const rows = await confirmations
        .where('confirmations.userId', '=', userId)
        .where('confirmations.state', '=', 'open')
        .orderBy('confirmations.createdAt')
        .execute();
      return rows.flatMap((row) => readConfirmation(row) ?? []);
    },
  };
};
