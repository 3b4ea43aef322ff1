export { createInstanceAiDoor } from './door.ts';
export { createConfirmAsk } from './confirm-ask.ts';
