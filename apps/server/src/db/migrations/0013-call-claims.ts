import type { Migration } from 'kysely/migration';

/** Until when the server that claimed an idempotency key may make its call; null once it is made. */
export const callClaims: Migration = {
  up: async (db) => {
    await db.schema.alterTable('callRepeats').addColumn('claimedUntil', 'bigint').execute();
  },
};
