export { createNotifications, type Notifications } from './notifications.ts';
export { createPushStore } from './push.store.ts';
export { isBodySignature, isStandardSignature, newWebhookSecret } from './signature.ts';
export { readVapid } from './vapid.ts';
