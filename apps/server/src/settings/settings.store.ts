import type { RuntimeSettings } from '@drawbridge/contracts/rpc/settings';
import type { Store } from '../db/index.ts';

export interface SettingsRow {
  values: unknown;
  revision: number;
}

interface NewSettings {
  values: RuntimeSettings;
  /** One more than that of the row which it replaces. */
  revision: number;
}

const id = 'server';

/** The one row of settings that were changed at run time. */
export const createSettingsStore = ({ db, changeRights }: Store) => ({
  /** Null while nothing was changed. */
  read: async (): Promise<SettingsRow | null> => {
    const row = await db.selectFrom('runtimeSettings').selectAll().where('id', '=', id).executeTakeFirst();
    return row ? { values: JSON.parse(row.values), revision: row.revision } : null;
  },
  /** False if the row has another revision by now. */
  write: async ({ values, revision }: NewSettings, now: number): Promise<boolean> => {
    const columns = { values: JSON.stringify(values), revision, updatedAt: now };
    const { numInsertedOrUpdatedRows } = await changeRights(() =>
      db
        .insertInto('runtimeSettings')
        .values({ id, ...columns })
        .onConflict((conflict) =>
          conflict
            .column('id')
            .doUpdateSet(columns)
            .where('runtimeSettings.revision', '=', revision - 1),
        )
        .executeTakeFirst(),
    );
    return numInsertedOrUpdatedRows === 1n;
  },
});

export type SettingsStore = ReturnType<typeof createSettingsStore>;
