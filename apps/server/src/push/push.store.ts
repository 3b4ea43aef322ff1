import type { NotifyTime } from '@drawbridge/contracts/outside/notifications';
import type { Kysely } from 'kysely';
import type { Schema } from '../db/index.ts';

export interface Device {
  userId: string;
  endpoint: string;
  p256dh: string;
  auth: string;
  session: string;
}

export interface StoredSettings {
  when: NotifyTime;
  webhookUrl: string | null;
  /** Encrypted. */
  webhookSecret: string | null;
}

const defaults: StoredSettings = { when: 'always', webhookUrl: null, webhookSecret: null };

export const createPushStore = (db: Kysely<Schema>) => ({
  devices: (userId: string): Promise<Device[]> =>
    db
      .selectFrom('pushSubscriptions')
      .select(['userId', 'endpoint', 'p256dh', 'auth', 'session'])
      .where('userId', '=', userId)
      .orderBy('createdAt')
      .execute(),
  save: async (device: Device, now: number): Promise<void> => {
    const { p256dh, auth, session } = device;
    await db
      .insertInto('pushSubscriptions')
      .values({ ...device, createdAt: now })
      .onConflict((conflict) =>
        conflict.columns(['userId', 'endpoint']).doUpdateSet({ p256dh, auth, session }),
      )
      .execute();
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
      .select(['when', 'webhookUrl', 'webhookSecret'])
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
    await db.deleteFrom('pushSubscriptions').where('userId', '=', userId).execute();
    await db.deleteFrom('notificationSettings').where('userId', '=', userId).execute();
  },
});

export type PushStore = ReturnType<typeof createPushStore>;
