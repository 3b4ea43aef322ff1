export { createNotifications, type Notifications } from './notifications.ts';
export { createPushStore } from './push.store.ts';
export { readVapid } from './vapid.ts';
