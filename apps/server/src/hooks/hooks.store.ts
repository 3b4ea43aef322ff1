import { toolScope, type ToolScope } from '@drawbridge/contracts/groups';
import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { Schema } from '../db/index.ts';

const groupsOf = z.array(toolScope);

/** Times in milliseconds since 1970. */
export type StoredHook = Omit<Schema['hooks'], 'groups'> & { groups: ToolScope[] };

const read = (row: Schema['hooks']): StoredHook => ({
  ...row,
  groups: groupsOf.parse(JSON.parse(row.groups)),
});

export const createHooksStore = (db: Kysely<Schema>) => ({
  /** Of all people: a name is unique for one person alone. */
  byName: async (name: string): Promise<StoredHook[]> =>
    (await db.selectFrom('hooks').selectAll().where('name', '=', name).execute()).map(read),
  ofUser: async (userId: string): Promise<StoredHook[]> =>
    (
      await db.selectFrom('hooks').selectAll().where('userId', '=', userId).orderBy('createdAt').execute()
    ).map(read),
  /** False where the person has one of that name. */
  insert: async (hook: StoredHook): Promise<boolean> => {
    const { numInsertedOrUpdatedRows = 0n } = await db
      .insertInto('hooks')
      .values({ ...hook, groups: JSON.stringify(hook.groups) })
      .onConflict((conflict) => conflict.columns(['userId', 'name']).doNothing())
      .executeTakeFirstOrThrow();
    return numInsertedOrUpdatedRows > 0n;
  },
  remove: async (userId: string, id: string): Promise<boolean> => {
    const { numDeletedRows } = await db
      .deleteFrom('hooks')
      .where('userId', '=', userId)
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    if (numDeletedRows > 0n) await db.deleteFrom('hookDeliveries').where('hookId', '=', id).execute();
    return numDeletedRows > 0n;
  },
  removeAll: (userId: string): Promise<void> =>
    db.transaction().execute(async (trx) => {
      const own = trx.selectFrom('hooks').select('id').where('userId', '=', userId);
      await trx.deleteFrom('hookDeliveries').where('hookId', 'in', own).execute();
      await trx.deleteFrom('hooks').where('userId', '=', userId).execute();
    }),
  /** True the first time; a key counts as new again after `since`. */
  claim: async ({ id }: StoredHook, key: string, { now, since }: { now: number; since: number }) => {
    await db.deleteFrom('hookDeliveries').where('hookId', '=', id).where('at', '<', since).execute();
    const { numInsertedOrUpdatedRows = 0n } = await db
      .insertInto('hookDeliveries')
      .values({ hookId: id, key, at: now })
      .onConflict((conflict) => conflict.columns(['hookId', 'key']).doNothing())
      .executeTakeFirstOrThrow();
    return numInsertedOrUpdatedRows > 0n;
  },
  release: async ({ id }: StoredHook, key: string): Promise<void> => {
    await db.deleteFrom('hookDeliveries').where('hookId', '=', id).where('key', '=', key).execute();
  },
  noteUse: async ({ id }: StoredHook, now: number): Promise<void> => {
    await db.updateTable('hooks').set({ lastUsedAt: now }).where('id', '=', id).execute();
  },
});

export type HooksStore = ReturnType<typeof createHooksStore>;
