import type { Store } from '../../db/index.ts';

/** The owner's switch, or a user's own. */
export type Scope = { kind: 'all' } | { kind: 'user'; userId: string };

const name = (scope: Scope) => (scope.kind === 'all' ? 'all' : `user:${scope.userId}`);

/** The gateway's off switches. */
export const createSwitchesStore = ({ db, cacheRows, changeRights }: Store) => {
  const isDisabled = cacheRows(async (scope): Promise<boolean> => {
    const row = await db
      .selectFrom('gatewaySwitches')
      .select('disabled')
      .where('scope', '=', scope)
      .executeTakeFirst();
    return row?.disabled === 1;
  });
  return {
    isDisabled: (scope: Scope) => isDisabled(name(scope)),
    set: (scope: Scope, disabled: boolean) => {
      const row = { scope: name(scope), disabled: Number(disabled) };
      return changeRights(() =>
        db
          .insertInto('gatewaySwitches')
          .values(row)
          .onConflict((conflict) => conflict.column('scope').doUpdateSet({ disabled: row.disabled }))
          .execute(),
      );
    },
  };
};

export type SwitchesStore = ReturnType<typeof createSwitchesStore>;
