export { createWebhooksDoor } from './door.ts';
