import type { Kysely } from 'kysely';
import type { Schema } from '../../db/index.ts';

/** The owner's switch, or a user's own. */
export type Scope = { kind: 'all' } | { kind: 'user'; userId: string };

const name = (scope: Scope) => (scope.kind === 'all' ? 'all' : `user:${scope.userId}`);

/** The gateway's off switches. */
export const createSwitchesStore = (db: Kysely<Schema>) => ({
  isDisabled: async (scope: Scope): Promise<boolean> => {
    const row = await db
      .selectFrom('gatewaySwitches')
      .select('disabled')
      .where('scope', '=', name(scope))
      .executeTakeFirst();
    return row?.disabled === 1;
  },
  set: async (scope: Scope, disabled: boolean) => {
    const row = { scope: name(scope), disabled: Number(disabled) };
    await db
      .insertInto('gatewaySwitches')
      .values(row)
      .onConflict((conflict) => conflict.column('scope').doUpdateSet({ disabled: row.disabled }))
      .execute();
  },
});

export type SwitchesStore = ReturnType<typeof createSwitchesStore>;
