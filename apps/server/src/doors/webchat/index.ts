export { createWebchatDoor } from './door.ts';
