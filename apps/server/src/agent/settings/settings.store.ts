import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { Schema } from '../../db/index.ts';

/** The owner's settings, or a user's own. */
export type Scope = 'all' | `user:${string}`;

/** One row, whose values are checked by its reader. */
export interface SettingsRow {
  values: unknown;
  /** By the name of the key. */
  sealedKeys: Record<string, string>;
}

export interface SettingsStore {
  /** Null for a scope that has set nothing. */
  read(scope: Scope): Promise<SettingsRow | null>;
  write(scope: Scope, row: SettingsRow, now: number): Promise<void>;
  remove(scope: Scope): Promise<void>;
}

const sealedKeys = z.record(z.string(), z.string());

export const createSettingsStore = (db: Kysely<Schema>): SettingsStore => ({
  read: async (scope) => {
    const row = await db
      .selectFrom('agentSettings')
      .select(['values', 'sealedKeys'])
      .where('scope', '=', scope)
      .executeTakeFirst();
    if (row === undefined) return null;
    return { values: JSON.parse(row.values), sealedKeys: sealedKeys.parse(JSON.parse(row.sealedKeys)) };
  },
  write: async (scope, row, now) => {
    const columns = {
      values: JSON.stringify(row.values),
      sealedKeys: JSON.stringify(row.sealedKeys),
      updatedAt: now,
    };
    await db
      .insertInto('agentSettings')
      .values({ scope, ...columns })
      .onConflict((conflict) => conflict.column('scope').doUpdateSet(columns))
      .execute();
  },
  remove: async (scope) => {
    await db.deleteFrom('agentSettings').where('scope', '=', scope).execute();
  },
});
