export { createNotifications, type Notifications } from './notifications.ts';
export { createNotifyStore } from './notify.store.ts';
export { isBodySignature, isStandardSignature, newWebhookSecret } from './signing.ts';
export { loadVapid } from './vapid.ts';
export { openMobileSenders, type MobileSenders } from './mobile/open-senders.ts';
export type { Push } from './send-push.ts';
