import { z } from 'zod';
import type { Store } from '../../db/index.ts';

/** The owner's settings, or a user's own. */
export type Scope = 'all' | `user:${string}`;

/** One row, whose values are checked by its reader. */
export interface SettingsRow {
  values: unknown;
  /** By the name of the key. */
  sealedKeys: Record<string, string>;
}

const sealedKeys = z.record(z.string(), z.string());

export const createSettingsStore = ({ db, changeRights }: Store) => ({
  /** Null for a scope that has set nothing. */
  read: async (scope: Scope): Promise<SettingsRow | null> => {
    const row = await db
      .selectFrom('agentSettings')
      .select(['values', 'sealedKeys'])
      .where('scope', '=', scope)
      .executeTakeFirst();
    if (row === undefined) return null;
    return { values: JSON.parse(row.values), sealedKeys: sealedKeys.parse(JSON.parse(row.sealedKeys)) };
  },
  write: async (scope: Scope, row: SettingsRow, now: number) => {
    const columns = {
      values: JSON.stringify(row.values),
      sealedKeys: JSON.stringify(row.sealedKeys),
      updatedAt: now,
    };
    await changeRights(() =>
      db
        .insertInto('agentSettings')
        .values({ scope, ...columns })
        .onConflict((conflict) => conflict.column('scope').doUpdateSet(columns))
        .execute(),
    );
  },
  remove: async (scope: Scope) => {
    await changeRights(() => db.deleteFrom('agentSettings').where('scope', '=', scope).execute());
  },
});

export type SettingsStore = ReturnType<typeof createSettingsStore>;
