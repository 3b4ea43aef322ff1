import { agentTables, type Store } from '../../db/index.ts';

/** Accounts that were removed, until nothing of theirs is left. */
export const createRemovedUsersStore = ({ db, changeRights }: Store) => ({
  add: async (userId: string) => {
    await db
      .insertInto('removedUsers')
      .values({ userId })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  },
  all: async (): Promise<string[]> =>
    (await db.selectFrom('removedUsers').select('userId').execute()).map((row) => row.userId),
  /**
   * Deletes a user's keys, machines, settings, switch, threads of the agent and removal entry; false, with
   * nothing deleted, while calls of the user remain.
   */
  finish: (userId: string): Promise<boolean> =>
    changeRights(() =>
      db.transaction().execute(async (trx) => {
        const call = await trx
          .selectFrom('calls')
          .select('requestId')
          .where('userId', '=', userId)
          .limit(1)
          .executeTakeFirst();
        if (call) return false;
        // In this order: keys and machines name what is deleted after them.
        for (const table of [
          'onceKeys',
          'gatewayKeys',
          'machines',
          'removedUsers',
          'userSettings',
          'visits',
          'nodePushTokens',
          'companions',
          'presence',
        ] as const)
          await trx.deleteFrom(table).where('userId', '=', userId).execute();
        for (const table of agentTables) await trx.deleteFrom(table).where('userId', '=', userId).execute();
        for (const table of ['gatewaySwitches', 'agentSettings'] as const)
          await trx.deleteFrom(table).where('scope', '=', `user:${userId}`).execute();
        const offered = trx.selectFrom('machines').select('toolsDigest');
        await trx.deleteFrom('toolLists').where('digest', 'not in', offered).execute();
        return true;
      }),
    ),
});

export type RemovedUsersStore = ReturnType<typeof createRemovedUsersStore>;
