import type { Kysely } from 'kysely';
import type { Schema } from '../../../db/index.ts';
import { readConfirmation, type StoredConfirmation } from './confirmation-row.ts';

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
    /** The decided ones about the newest calls of a tool that were asked about, newest first. */
    decided: async (
      userId: string,
      { tool, from, calls }: { tool: string; from: number; calls: number },
    ): Promise<StoredConfirmation[]> => {
      const asked = db
        .selectFrom('calls')
        .select('requestId')
        .where('userId', '=', userId)
        .where('createdAt', '>=', from)
        .where('tool', '=', tool)
        .where('ruling', '=', 'asked')
        .orderBy('createdAt', 'desc')
        .limit(calls);
      const rows = await confirmations
        .where('confirmations.requestId', 'in', asked)
        .where('confirmations.state', '=', 'decided')
        .orderBy('confirmations.createdAt', 'desc')
        .execute();
      return rows.flatMap((row) => readConfirmation(row) ?? []);
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
