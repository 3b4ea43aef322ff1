import type { Kysely } from 'kysely';
import type { Schema } from '../db/index.ts';

export type Device = Omit<Schema['pushSubscriptions'], 'createdAt'>;

type NewDevice = Omit<Device, 'answers'>;
type DeviceAnswers = Pick<Device, 'userId' | 'endpoint' | 'session' | 'answers'>;

export type StoredSettings = Omit<Schema['notificationSettings'], 'userId' | 'updatedAt'>;

const defaults: StoredSettings = { when: 'always', webhookUrl: null, webhookSecret: null, runEnds: 0 };

export const createNotifyStore = (db: Kysely<Schema>) => ({
  devices: (userId: string): Promise<Device[]> =>
    db
      .selectFrom('pushSubscriptions')
      .select(['userId', 'endpoint', 'p256dh', 'auth', 'session', 'answers'])
      .where('userId', '=', userId)
      .orderBy('createdAt')
      .execute(),
  /**
   * Only the browser itself knows its keys: who has them takes it from the user who had it before. In another
   * session it answers nothing.
   */
  save: (device: NewDevice, now: number): Promise<void> =>
    db.transaction().execute(async (trx) => {
      const { userId, endpoint, p256dh, auth, session } = device;
      await trx
        .deleteFrom('pushSubscriptions')
        .where('endpoint', '=', endpoint)
        .where('p256dh', '=', p256dh)
        .where('auth', '=', auth)
        .where('userId', '<>', userId)
        .execute();
      await trx
        .insertInto('pushSubscriptions')
        .values({ ...device, answers: 'off', createdAt: now })
        .onConflict((conflict) =>
          conflict.columns(['userId', 'endpoint']).doUpdateSet(({ ref, eb }) => ({
            p256dh,
            auth,
            session,
            answers: eb
              .case()
              .when('pushSubscriptions.session', '=', session)
              .then(ref('pushSubscriptions.answers'))
              .else('off' as const)
              .end(),
          })),
        )
        .execute();
    }),
  /** False where it is not subscribed in that session. */
  setAnswers: async ({ userId, endpoint, session, answers }: DeviceAnswers): Promise<boolean> => {
    const { numUpdatedRows } = await db
      .updateTable('pushSubscriptions')
      .set({ answers })
      .where('userId', '=', userId)
      .where('endpoint', '=', endpoint)
      .where('session', '=', session)
      .executeTakeFirst();
    return numUpdatedRows === 1n;
  },
  remove: async (userId: string, endpoint: string): Promise<void> => {
    await db
      .deleteFrom('pushSubscriptions')
      .where('userId', '=', userId)
      .where('endpoint', '=', endpoint)
      .execute();
  },
  settings: async (userId: string): Promise<StoredSettings> => {
    const row = await db
      .selectFrom('notificationSettings')
      .select(['when', 'webhookUrl', 'webhookSecret', 'runEnds'])
      .where('userId', '=', userId)
      .executeTakeFirst();
    return row ?? defaults;
  },
  change: async (userId: string, change: Partial<StoredSettings>, now: number): Promise<void> => {
    await db
      .insertInto('notificationSettings')
      .values({ ...defaults, ...change, userId, updatedAt: now })
      .onConflict((conflict) => conflict.column('userId').doUpdateSet({ ...change, updatedAt: now }))
      .execute();
  },
  removeUser: async (userId: string): Promise<void> => {
    await db.deleteFrom('pushAnswers').where('userId', '=', userId).execute();
    await db.deleteFrom('pushSubscriptions').where('userId', '=', userId).execute();
    await db.deleteFrom('notificationSettings').where('userId', '=', userId).execute();
  },
});

export type NotifyStore = ReturnType<typeof createNotifyStore>;
