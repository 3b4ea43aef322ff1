import { hookLimits } from '@drawbridge/contracts/outside/hooks';
import { toolScope, type ToolScope } from '@drawbridge/contracts/groups';
import type { Kysely } from 'kysely';
import { z } from 'zod';
import { createOnce, type Schema } from '../db/index.ts';

const groupsOf = z.array(toolScope);

/** Times in milliseconds since 1970. */
export type StoredHook = Omit<Schema['hooks'], 'groups'> & { groups: ToolScope[] };

const read = (row: Schema['hooks']): StoredHook => ({
  ...row,
  groups: groupsOf.parse(JSON.parse(row.groups)),
});

/** Deliveries of one webhook. */
const scopeOf = (hookId: string) => `hook ${hookId}`;

export const createHooksStore = (db: Kysely<Schema>, keys = createOnce(db)) => ({
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
    if (numDeletedRows > 0n) await db.deleteFrom('onceKeys').where('scope', '=', scopeOf(id)).execute();
    return numDeletedRows > 0n;
  },
  removeAll: (userId: string): Promise<void> =>
    db.transaction().execute(async (trx) => {
      await trx
        .deleteFrom('onceKeys')
        .where('userId', '=', userId)
        .where('scope', 'like', scopeOf('%'))
        .execute();
      await trx.deleteFrom('hooks').where('userId', '=', userId).execute();
    }),
  /** Runs `make` the first time that a delivery of this key comes; a failure of it frees the key. */
  once: async <Value>(
    { id, userId }: StoredHook,
    { key, at }: { key: string; at: number },
    make: () => Promise<Value>,
  ) => {
    await keys.sweep(at);
    const row = {
      scope: scopeOf(id),
      key: `${id} ${key}`,
      digest: '',
      subject: id,
      userId,
      claimedUntil: null,
    };
    return keys.once({ ...row, at, endsAt: at + hookLimits.knownMs }, make);
  },
  noteUse: async ({ id }: StoredHook, now: number): Promise<void> => {
    await db.updateTable('hooks').set({ lastUsedAt: now }).where('id', '=', id).execute();
  },
});

export type HooksStore = ReturnType<typeof createHooksStore>;
