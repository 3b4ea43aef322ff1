import type { NotifyTime } from '@drawbridge/contracts/outside/notifications';

/** A browser that gets notifications while the session that subscribed it lasts. */
export interface PushSubscriptionTable {
  userId: string;
  endpoint: string;
  p256dh: string;
  auth: string;
  /** The token of that session. */
  session: string;
  createdAt: number;
}

/** One row for each person who has changed them. */
export interface NotificationSettingsTable {
  userId: string;
  when: NotifyTime;
  webhookUrl: string | null;
  /** Encrypted. */
  webhookSecret: string | null;
  updatedAt: number;
}

export interface NotificationTables {
  pushSubscriptions: PushSubscriptionTable;
  notificationSettings: NotificationSettingsTable;
}
