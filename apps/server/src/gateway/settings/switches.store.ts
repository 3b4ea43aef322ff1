import type { Kysely } from 'kysely';
import type { Schema } from '../../db/index.ts';

/** The owner's switch, or a user's own. */
export type Scope = { kind: 'all' } | { kind: 'user'; userId: string };

/** The gateway's off switches. */
export interface SwitchesStore {
  isDisabled(scope: Scope): Promise<boolean>;
  set(scope: Scope, disabled: boolean): Promise<void>;
}

const name = (scope: Scope) => (scope.kind === 'all' ? 'all' : `user:${scope.userId}`);

export const createSwitchesStore = (db: Kysely<Schema>): SwitchesStore => ({
  isDisabled: async (scope) => {
    const row = await db
      .selectFrom('gatewaySwitches')
      .select('disabled')
      .where('scope', '=', name(scope))
      .executeTakeFirst();
    return row?.disabled === 1;
  },
  set: async (scope, disabled) => {
    const row = { scope: name(scope), disabled: Number(disabled) };
    await db
      .insertInto('gatewaySwitches')
      .values(row)
      .onConflict((conflict) => conflict.column('scope').doUpdateSet({ disabled: row.disabled }))
      .execute();
  },
});
